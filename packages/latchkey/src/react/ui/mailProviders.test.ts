import { expect, test } from 'vitest'
import { findMailProvider, mailProviders } from './mailProviders.ts'

test('finds the provider by domain in any letter case', () => {
  expect(findMailProvider('You@GMail.com')?.name).toBe('Gmail')
  expect(findMailProvider('a@hotmail.com')?.url).toBe('https://outlook.live.com/mail/')
})

test('finds no provider for a domain that only looks like a known one', () => {
  for (const email of ['a@example.com', 'a@notgmail.com', 'a@gmail.com.example', 'gmail.com@example.com', '', 'a@'])
    expect([email, findMailProvider(email)]).toEqual([email, undefined])
})

test('gives each domain one provider, reached over https', () => {
  const domains = mailProviders.flatMap((provider): readonly string[] => provider.domains)
  expect(new Set(domains).size).toBe(domains.length)
  for (const { url } of mailProviders) expect(new URL(url).protocol).toBe('https:')
})
