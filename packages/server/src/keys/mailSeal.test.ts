import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type MailPayload, openMail, sealMail } from './mailSeal.ts'

const key = randomBytes(32)
const row = { id: '1', recipient: 'a@b.example' }
const payload: MailPayload = {
  to: 'a@b.example',
  appName: 'App',
  content: { kind: 'sign-in', link: 'https://a.example/?bundle=x', expiresAtMs: 5 },
}

test('opens a sealed mail', () => {
  expect(openMail(key, row, sealMail(key, row, payload))).toEqual(payload)
})

test('refuses another row or recipient', () => {
  const box = sealMail(key, row, payload)
  expect(() => openMail(key, { ...row, recipient: 'thief@b.example' }, box)).toThrow('cannot be opened')
  expect(() => openMail(key, { ...row, id: '2' }, box)).toThrow('cannot be opened')
  const mixed = sealMail(key, row, { ...payload, to: 'thief@b.example' })
  expect(() => openMail(key, row, mixed)).toThrow('names a different recipient')
})
