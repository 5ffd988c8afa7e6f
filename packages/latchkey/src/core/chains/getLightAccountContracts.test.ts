import { base } from 'viem/chains'
import { expect, test } from 'vitest'
import { getLightAccountContracts } from './getLightAccountContracts.ts'
import { latchkeyDev } from './latchkeyDev.ts'

const version = 'v1.1.0'
const known = {
  factory: '0x00004EC70002a32400f8ae005A26081065620D20',
  implementation: '0xae8c656ad28F2B59a196AB61815C16A0AE1c3cba',
}

test('default', () => {
  expect(getLightAccountContracts({ version })).toEqual(known)
  expect(getLightAccountContracts({ version, chain: base })).toEqual(known)
  expect(getLightAccountContracts({ version, chain: latchkeyDev })).toEqual(known)
})

test('behavior: what the chain says goes first', () => {
  const own = { factory: known.implementation, implementation: known.factory } as const
  const chain = { ...base, custom: { latchkey: { lightAccount: { [version]: own } } } }
  expect(getLightAccountContracts({ version, chain })).toBe(own)
})

test('behavior: nothing is assumed of a chain nobody knows', () => {
  expect(getLightAccountContracts({ version, chain: { ...base, id: 424242 } })).toBeUndefined()
})
