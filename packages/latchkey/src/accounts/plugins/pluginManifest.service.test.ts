import { emptyManifest } from '@latchkey/testkit/contracts/modularAccounts'
import { expect, test } from 'vitest'
import { hashManifest } from './pluginManifest.ts'

const byOwner = (functionId: number) => (executionSelector: `0x${string}`) => ({
  executionSelector,
  associatedFunction: { functionType: 1, functionId, dependencyIndex: 0n },
})
const always = (executionSelector: `0x${string}`) => ({
  executionSelector,
  associatedFunction: { functionType: 3, functionId: 0, dependencyIndex: 0n },
})
const managing = ['0x39562247', '0xb61d27f6', '0x34fcd5be', '0xc5f0e8d1', '0xc1a221f3', '0x4f1ef286'] as const

test('computes the public hash of MultiOwnerPlugin 1.0.0', () => {
  const manifest = {
    ...emptyManifest,
    executionFunctions: ['0x39562247', '0x84b0196e', '0x1626ba7e'] as const,
    userOpValidationFunctions: managing.map(byOwner(1)),
    runtimeValidationFunctions: [...managing.map(byOwner(0)), always('0x1626ba7e'), always('0x84b0196e')],
  }
  expect(hashManifest(manifest)).toBe('0x21d0f6cca8bef15ac65bf93ae5ae9ec383ea5010bf3e02b44d3c0abd2d2bd0fb')
})

test('changes the hash with any field', () => {
  expect(hashManifest({ ...emptyManifest, canSpendNativeToken: true })).not.toBe(hashManifest(emptyManifest))
})
