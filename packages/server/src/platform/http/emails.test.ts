import { expect, test } from 'vitest'
import { requireEmail, toMailbox, toStoredEmail } from './emails.ts'

test('refuses what is no address with the code of the wire', () => {
  expect(requireEmail(' Ada@Bücher.example ')).toBe('ada@xn--bcher-kva.example')
  expect(() => requireEmail('ada@localhost')).toThrow(
    expect.objectContaining({ code: 'INVALID_EMAIL', status: 400, message: 'Must provide a valid email.' }),
  )
})

test('stores the domain in its ASCII form and keeps the case', () => {
  expect(toStoredEmail(' User@BÜCHER.example ')).toBe('User@xn--bcher-kva.example')
  expect(toStoredEmail('User.Name@Example.com')).toBe('User.Name@Example.com')
  expect(toStoredEmail('no address')).toBe('no address')
})

test('counts all aliases of a mailbox as one', () => {
  expect(toMailbox('Ann+shop@Example.com')).toBe('ann@example.com')
})
