import { expect, test } from 'vitest'
import { readAnswer } from './readAnswer.ts'

const origins = ['https://app.example', 'http://localhost:4100']
const encode = (text: string) => btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const read = (parameters: Record<string, string>) => readAnswer(`?${new URLSearchParams(parameters)}`, origins)

test('reads the answer and where it goes', () => {
  const state = `popup.x.${encode('https://app.example/wallet?a=1')}`
  const returned = read({ state, code: 'c', iss: 'https://issuer.example', other: 'x' })
  expect(returned).toMatchObject({ answer: { state, code: 'c', iss: 'https://issuer.example' }, isPopup: true })
  expect(returned?.answer).not.toHaveProperty('other')
  expect(returned?.returnUrl.href).toBe('https://app.example/wallet?a=1')
  const page = `page.x.${encode('http://localhost:4100/')}`
  expect(read({ state: page, error: 'access_denied' })).toMatchObject({
    answer: { state: page, error: 'access_denied' },
    isPopup: false,
  })
})

test.each([
  '',
  'popup',
  'popup.x',
  'popup.x.!',
  `popup.x.${encode('https://evil.example/')}`,
  `popup.x.${encode('https://app.example.evil.example/')}`,
  `popup.x.${encode('https://app.example@evil.example/')}`,
  `page.x.${encode('javascript:alert(1)//https://app.example')}`,
  `page.x.${encode('blob:https://app.example/x')}`,
  `page.x.${encode('//app.example')}`,
])('hands nothing to another page: %j', (state) => {
  expect(read({ state, code: 'c' })).toBeNull()
})
