import { expect, test } from 'vitest'
import { normalizeEmail } from './normalizeEmail.ts'

test.each([
  ['you@example.com', 'you@example.com'],
  ['  User.Name+tag@Example.COM ', 'user.name+tag@example.com'],
  ["o'neil@mail.ex-ample.co.uk", "o'neil@mail.ex-ample.co.uk"],
  ['x@1.io', 'x@1.io'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@BU\u0308CHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@пример.рф', 'ada@xn--e1afmkfd.xn--p1ai'],
  ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
])('takes %j', (text, email) => {
  expect(normalizeEmail(text)).toBe(email)
  expect(normalizeEmail(email)).toBe(email)
})

test.each([
  ...['', 'user', 'user@', '@example.com', 'user@localhost', 'user@127.0.0.1', 'user@[127.0.0.1]', 'user@0x7f.1'],
  ...['a@b@example.com', 'a@example.com,b@example.com', 'a@example.com b@example.com'],
  ...['Eve <eve@example.com>', '"a b"@example.com', 'a@example.com\r\nBcc: b@example.com'],
  ...['a\r\n@example.com', 'a\n@b.com', 'a@exam\nple.com', 'a\u0000@example.com', 'a..b@example.com', 'a.@example.com'],
  ...['.a@example.com', 'a@-example.com', 'a@example-.com', 'a@example..com', 'a@example.com.', 'a@xn--a.example'],
  ...['a@example.com:25', 'a@example.com/path', 'a@example.com?bcc=b', 'a@example.com#x', 'a@例え。'],
  ...['a@exa%6dple.com', 'ünï@example.com', `${'a'.repeat(65)}@example.com`, `a@${'b'.repeat(64)}.com`],
  ...[`a@${'b.'.repeat(130)}com`, `a@${'b'.repeat(5000)}.com`],
])('refuses %j', (text) => {
  expect(normalizeEmail(text)).toBeUndefined()
})
