import { expect, test } from 'vitest'
import { isEmail } from './EmailForm.tsx'

test('accepts common addresses', () => {
  for (const value of [
    'you@example.com',
    'a.b+c@sub.example.co.uk',
    "o'neil@ex-ample.org",
    'A_1@EXAMPLE.COM',
    'x@1.io',
  ])
    expect([value, isEmail(value)]).toEqual([value, true])
})

test('refuses addresses that no mail reaches', () => {
  const bad = ['', 'you', 'you@', '@example.com', 'you@example', 'a b@example.com', 'a@b@example.com', 'a@-b.com']
  const worse = [
    'a..b@example.com',
    '.a@example.com',
    'a.@example.com',
    'a@example..com',
    'a@example.com ',
    'a\n@b.com',
  ]
  for (const value of [...bad, ...worse, `${'a'.repeat(65)}@example.com`, `a@${'b.'.repeat(130)}com`])
    expect([value, isEmail(value)]).toEqual([value, false])
})
