import { expect, test } from 'vitest'
import { normalizeEmail, toMailbox, toStoredEmail } from './normalizeEmail.ts'

test('normalizes spaces, case and domains in other scripts', () => {
  expect(normalizeEmail('  User.Name+tag@Example.COM ')).toBe('user.name+tag@example.com')
  expect(normalizeEmail("o'neil@mail.example.co.uk")).toBe("o'neil@mail.example.co.uk")
})
expect(normalizeEmail('user@bücher.example')).toBe('user@xn--bcher-kva.example')

test('stores the domain in its ASCII form and keeps the case', () => {
  expect(toStoredEmail(' User@BÜCHER.example ')).toBe('User@xn--bcher-kva.example')
  expect(toStoredEmail('User.Name@Example.com')).toBe('User.Name@Example.com')
  expect(toStoredEmail('no address')).toBe('no address')
})

test('counts all aliases of a mailbox as one', () => {
  expect(toMailbox('Ann+shop@Example.com')).toBe('ann@example.com')
})

test.each([
  ...['', 'user', 'user@', '@example.com', 'user@localhost', 'user@127.0.0.1', 'user@[127.0.0.1]'],
  ...['a@b@example.com', 'a@example.com,b@example.com', 'a@example.com b@example.com'],
  ...['Eve <eve@example.com>', '"a b"@example.com', 'a@example.com\r\nBcc: b@example.com'],
  ...['a\r\n@example.com', 'a@exam\nple.com', 'a\u0000@example.com', 'a..b@example.com'],
  ...['.a@example.com', 'a@-example.com', 'a@example-.com', 'a@example..com', 'a@example.com.'],
  ...['a@example.com:25', 'a@example.com/path', 'a@example.com?bcc=b', 'a@example.com#x'],
  ...['a@exa%6dple.com', 'ünï@example.com', `${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.com`],
  ...[`a@${'b.'.repeat(130)}com`, `a@${'b'.repeat(5000)}.com`],
])('refuses %j', (email) => {
  expect(() => normalizeEmail(email)).toThrow(
    expect.objectContaining({ code: 'INVALID_EMAIL', status: 400, message: 'Must provide a valid email.' }),
  )
})
