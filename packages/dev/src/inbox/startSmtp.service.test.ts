import { expect, test } from 'vitest'
import { findCode } from './startSmtp.ts'

test('finds codes of 6 to 15 digits on a line of their own', () => {
  expect(findCode({ text: 'Sign in\n\n    012345\n\nIt works for 10 minutes.\n' })).toBe('012345')
  expect(findCode({ text: 'Sign in\r\n\r\n    012345\r\n' })).toBe('012345')
  for (const code of ['012345678', '012345678901234']) expect(findCode({ text: `Sign in\n\n    ${code}\n` })).toBe(code)
})

test('ignores other numbers', () => {
  for (const text of ['', 'Order 123456 has shipped.', '1234567', '12345', 'https://x.example/123456', '123 456'])
    expect(findCode({ text }), text).toBeNull()
})
