import { expect, test } from 'vitest'
import { chooseRedirectUrl } from './chooseRedirectUrl.ts'

const project = {
  id: 'p',
  name: 'P',
  redirectUrls: ['https://app.example/', 'https://beta.example/in'],
  allowedOrigins: [],
}

test('default', () => {
  expect(chooseRedirectUrl(project, undefined)).toBe('https://app.example/')
})

test('param: origin', () => {
  expect(chooseRedirectUrl(project, 'https://beta.example')).toBe('https://beta.example/in')
})

test('behavior: another origin, or one that only starts alike, gets the first', () => {
  expect(chooseRedirectUrl(project, 'https://evil.example')).toBe('https://app.example/')
  expect(chooseRedirectUrl(project, 'https://beta.example.evil')).toBe('https://app.example/')
})

test('error: none registered', () => {
  expect(() => chooseRedirectUrl({ ...project, redirectUrls: [] }, 'https://app.example')).toThrow(
    expect.objectContaining({ code: 'REDIRECT_NOT_ALLOWED' }),
  )
})
