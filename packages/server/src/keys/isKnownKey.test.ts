import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { devAccounts } from '../../../dev/src/chain/devAccounts.ts'
import { isKnownKey } from './isKnownKey.ts'

test('default', () => {
  for (let round = 0; round < 1_000; round++) expect(isKnownKey(randomBytes(32).toString('hex'))).toBe(false)
})

test('behavior: keys of test chains, with and without 0x, in any case', () => {
  for (const { privateKey } of devAccounts)
    for (const form of [privateKey, privateKey.slice(2), privateKey.slice(2).toUpperCase()])
      expect(isKnownKey(form), form).toBe(true)
})

test('behavior: keys written by hand', () => {
  const bytes = [...Array(32).keys()]
  for (const key of [
    '11'.repeat(32),
    '0123456789abcdef'.repeat(4),
    `${'00'.repeat(31)}01`,
    Buffer.from(bytes).toString('hex'),
    Buffer.from([...bytes].reverse()).toString('hex'),
    Buffer.from('change me change me change me ch').toString('hex'),
  ])
    expect(isKnownKey(key), key).toBe(true)
})
