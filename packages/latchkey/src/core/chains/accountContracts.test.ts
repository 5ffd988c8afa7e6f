import { base } from 'viem/chains'
import { expect, test } from 'vitest'
import { getLightAccountContracts, getMultiOwnerLightAccountContracts } from './accountContracts.ts'
import { retiredChains, supportedChains } from './publicChains.ts'
import type { LightAccountVersion } from './types.ts'

const version = 'v1.1.0'
const known = {
  factory: '0x00004EC70002a32400f8ae005A26081065620D20',
  implementation: '0xae8c656ad28F2B59a196AB61815C16A0AE1c3cba',
}

test('prefers the addresses of the chain object', () => {
  const own = { factory: known.implementation, implementation: known.factory } as const
  const latchkey = { lightAccount: { [version]: own }, multiOwnerLightAccount: { 'v2.0.0': own } } as const
  const chain = { ...base, custom: { latchkey } }
  expect(getLightAccountContracts({ version, chain })).toBe(own)
  expect(getMultiOwnerLightAccountContracts({ version: 'v2.0.0', chain })).toBe(own)
})

test('returns a version only for chains it is deployed on', () => {
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
