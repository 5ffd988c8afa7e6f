import { base } from 'viem/chains'
import { expect, test } from 'vitest'
import { getLightAccountContracts } from './getLightAccountContracts.ts'
import { latchkeyDev } from './latchkeyDev.ts'
import { retiredChains, supportedChains } from './publicChains.ts'
import type { LightAccountVersion } from './types.ts'

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

test('param: version', () => {
  const second = {
    factory: '0x0000000000400CdFef5E2714E63d8040b700BC24',
    implementation: '0x8E8e658E22B12ada97B402fF0b044D6A325013C7',
  }
  expect(getLightAccountContracts({ version: 'v2.0.0', chain: base })).toEqual(second)
  expect(getLightAccountContracts({ version: 'v2.0.0', chain: latchkeyDev })).toEqual(second)
})

test('behavior: what the chain says goes first', () => {
  const own = { factory: known.implementation, implementation: known.factory } as const
  const chain = { ...base, custom: { latchkey: { lightAccount: { [version]: own } } } }
  expect(getLightAccountContracts({ version, chain })).toBe(own)
})

test('behavior: nothing is assumed of a chain nobody knows', () => {
  expect(getLightAccountContracts({ version, chain: { ...base, id: 424242 } })).toBeUndefined()
})

test('behavior: a version is named only where it is deployed', () => {
  const chains = [...supportedChains, ...retiredChains]
  const on = (version: LightAccountVersion) =>
    chains.filter((chain) => getLightAccountContracts({ version, chain })).map(({ id }) => id)
  const sorted = (ids: number[]) => ids.sort((a, b) => a - b)
  expect(sorted(on('v1.0.1'))).toEqual([1, 5, 10, 137, 420, 8453, 42161, 80001, 84531, 421613, 11155111])
  expect(sorted(on('v1.0.2'))).toEqual([
    1, 5, 10, 137, 420, 8453, 42161, 80001, 84531, 84532, 421613, 421614, 11155111, 11155420,
  ])
  expect(sorted(on('v1.1.0'))).toEqual([
    1, 10, 137, 252, 420, 2523, 8453, 42161, 80001, 80002, 84532, 421613, 421614, 7777777, 11155111, 11155420,
    999999999,
  ])
  expect(sorted(on('v2.0.0'))).toEqual([
    1, 10, 137, 252, 2523, 8453, 42161, 80002, 84532, 421614, 7777777, 11155111, 11155420, 999999999,
  ])
})
