import fc from 'fast-check'
import { type Address, getAddress, type Hex, zeroAddress } from 'viem'
import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import type { ChainContracts } from '../../core/chains/types.ts'
import { predictModularAccountAddress } from './predictModularAccountAddress.ts'

const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test('default: the published address', () => {
  expect(predictModularAccountAddress({ owners: [owner] })).toBe('0x2b697BF97E0a592641D9DEf8d604f86Fa7d488c7')
})

const chainWith = (latchkey: ChainContracts) => ({ ...foundry, custom: { latchkey } })
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => getAddress(`0x${Buffer.from(bytes).toString('hex')}`))

test('behavior: order, letter case, copies and the zero address make no difference', () => {
  fc.assert(
    fc.property(fc.array(address, { minLength: 1, maxLength: 8 }), fc.infiniteStream(fc.boolean()), (owners, coins) => {
      const lower = owners.map((one) => (coins.next().value ? (one.toLowerCase() as Hex) : one))
      const shuffled: Address[] = [...lower, ...owners, zeroAddress].reverse()
      fc.pre(owners.some((one) => one !== zeroAddress))
      expect(predictModularAccountAddress({ owners: shuffled })).toBe(predictModularAccountAddress({ owners }))
    }),
    { verbose: true },
  )
})

test('error: a chain with another implementation: its addresses differ', () => {
  const modularAccount = { factory: owner, implementation: owner } as const
  expect(() => predictModularAccountAddress({ owners: [owner], chain: chainWith({ modularAccount }) })).toThrow(
    expect.objectContaining({ code: 'FACTORY_NOT_FOUND' }),
  )
})
