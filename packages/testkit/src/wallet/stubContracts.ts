import { concatHex, type Hex, numberToHex } from 'viem'

// Minimal accounts and paymasters. The comments list the EVM opcodes.

const word = (value: bigint) => numberToHex(value, { size: 32 })

/** Returns one word to any call. PUSH32, PUSH0 MSTORE, PUSH1 32 PUSH0 RETURN. */
export const returning = (value: bigint): Hex => concatHex(['0x7f', word(value), '0x5f5260205ff3'])

/** Reverts any call without data. */
export const reverting: Hex = '0x5f5ffd'

/** Burns about 26 gas per round, then runs `then`. PUSH2, JUMPDEST, PUSH1 1 SWAP1 SUB, DUP1 PUSH1 3 JUMPI, POP. */
export const burning = (rounds: number, then: Hex): Hex =>
  concatHex(['0x61', numberToHex(rounds, { size: 2 }), '0x5b600190038060035750', then])

/** Paymaster whose validation returns a context of `contextWords` words and the validation data. */
export function approving(validationData: bigint, contextWords: 0 | 1 = 0): Hex {
  const length = contextWords === 0 ? '0x' : '0x6020604052'
  const end = contextWords === 0 ? '0x60605ff3' : '0x60805ff3'
  return concatHex(['0x60405f52', '0x7f', word(validationData), '0x602052', length, end])
}

/**
 * Paymaster that approves with a context. Reverts any call other than `validatePaymasterUserOp` with one word of data,
 * which is all that EntryPoint 0.6 reads.
 */
export const failingAfterwards = (firstByte: Hex): Hex =>
  concatHex(['0x5f3560f81c60', firstByte, '0x14600f5760205ffd5b', approving(0n, 1)])

/** Account of EntryPoint 0.6 that accepts every operation and reverts each call with 2048 bytes. */
export const complaining: Hex = concatHex(['0x5f3560f81c603a146010576108005ffd5b', returning(0n)])

/** Validation data with an expiration time in the distant past (ERC-4337 § Validation). */
export const expired = 1n << 160n
