import type { Address, Chain } from 'viem'
import { expectTypeOf, test } from 'vitest'
import {
  type AccountContracts,
  type defineLatchkeyChain,
  type defineLatchkeyDevChain,
  type EntryPointVersion,
  type getEntryPointAddress,
  type getLightAccountContracts,
  type LatchkeyChain,
  latchkeyDev,
  type latchkeyDevChain,
  sepolia,
} from './chains.ts'

test('Latchkey’s chains are viem chains', () => {
  expectTypeOf(sepolia).toEqualTypeOf<LatchkeyChain>()
  expectTypeOf(latchkeyDev).toExtend<Chain>()
  expectTypeOf<typeof latchkeyDevChain>().toEqualTypeOf<typeof defineLatchkeyDevChain>()
})

test('a version of the EntryPoint has one spelling', () => {
  expectTypeOf<EntryPointVersion>().toEqualTypeOf<'0.6.0' | '0.7.0'>()
  expectTypeOf<'0.6'>().not.toExtend<NonNullable<getEntryPointAddress.Parameters['version']>>()
  type EntryPoints = NonNullable<defineLatchkeyChain.Parameters['entryPoints']>
  expectTypeOf<{ '0.7.0': { address: Address } }>().toExtend<EntryPoints>()
})

test('contracts that a chain may lack are undefined', () => {
  expectTypeOf<getLightAccountContracts.ReturnType>().toEqualTypeOf<AccountContracts | undefined>()
})
