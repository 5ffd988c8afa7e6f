import { expect, test } from 'vitest'
import { parseUrl } from './parseUrl.ts'

test('parses absolute URLs only', () => {
  expect(parseUrl('https://app.example:8080/x?y#z')?.href).toBe('https://app.example:8080/x?y#z')
  expect(['', 'app.example', '/x', 'https://', 'https://a b.example'].map((text) => parseUrl(text))).toEqual(
    Array(5).fill(undefined),
  )
})

test('parses Latin-1 letters in hot code', () => {
  for (let round = 0; round < 20_000; round++) {
    if (parseUrl('https://bücher.example') === undefined) expect.fail(`refused in round ${round}`)
  }
})
