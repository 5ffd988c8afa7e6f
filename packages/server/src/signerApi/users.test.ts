import { expect, test } from 'vitest'
import { normalizeEmail } from './users.ts'

test('default', () => {
  expect(normalizeEmail('  User.Name+tag@Example.COM ')).toBe('user.name+tag@example.com')
  expect(normalizeEmail("o'neil@mail.example.co.uk")).toBe("o'neil@mail.example.co.uk")
})

test('behavior: a domain of another script gets its ASCII form', () => {
  expect(normalizeEmail('user@bücher.example')).toBe('user@xn--bcher-kva.example')
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
])('error: %j', (email) => {
  expect(() => normalizeEmail(email)).toThrow(
    expect.objectContaining({ code: 'INVALID_EMAIL', status: 400, message: 'Must provide a valid email.' }),
  )
})
