import { expect, test } from 'vitest'
import { passkeyProviders } from './passkeyProviders.ts'

test('default: every model is named once, by the digits of its UUID', () => {
  expect(passkeyProviders.get('fbfc3007154e4ecc8c0b6e020557d7bd')).toBe('Apple Passwords')
  expect([...passkeyProviders.keys()].filter((aaguid) => !/^[0-9a-f]{32}$/.test(aaguid))).toEqual([])
  expect([...passkeyProviders.values()].filter((name) => name === '')).toEqual([])
})
