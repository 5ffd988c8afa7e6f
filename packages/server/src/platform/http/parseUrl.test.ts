import { expect, test } from 'vitest'
import { parseUrl } from './parseUrl.ts'

test('default: an absolute URL; other text is none', () => {
  expect(parseUrl('https://app.example:8080/x?y#z')?.href).toBe('https://app.example:8080/x?y#z')
  expect(['', 'app.example', '/x', 'https://', 'https://a b.example'].map(parseUrl)).toEqual(Array(5).fill(undefined))
})

test('behavior: letters of Latin-1 are read in hot code, too', () => {
  for (let round = 0; round < 20_000; round++) {
    if (parseUrl('https://bücher.example') === undefined) expect.fail(`refused in round ${round}`)
  }
})
