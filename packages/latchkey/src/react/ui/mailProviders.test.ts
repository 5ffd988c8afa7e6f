import { expect, test } from 'vitest'
import { findMailProvider, mailProviders } from './mailProviders.ts'

test('default: by the domain, in any case', () => {
  expect(findMailProvider('You@GMail.com')?.name).toBe('Gmail')
  expect(findMailProvider('a@hotmail.com')?.url).toBe('https://outlook.live.com/mail/')
})

test('error: a domain that only ends or begins like a known one has none', () => {
  for (const email of ['a@example.com', 'a@notgmail.com', 'a@gmail.com.example', 'gmail.com@example.com', '', 'a@'])
    expect([email, findMailProvider(email)]).toEqual([email, undefined])
})

test("behavior: each domain is one provider's, reached over https", () => {
  const domains = mailProviders.flatMap((provider): readonly string[] => provider.domains)
  expect(new Set(domains).size).toBe(domains.length)
  for (const { url } of mailProviders) expect(new URL(url).protocol).toBe('https:')
})
