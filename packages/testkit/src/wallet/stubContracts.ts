import { concatHex, type Hex, numberToHex } from 'viem'

// Code of accounts and paymasters that do one thing each. The EVM's bytes are in the comments.

const word = (value: bigint) => numberToHex(value, { size: 32 })

/** Any call returns one word. PUSH32, PUSH0 MSTORE, PUSH1 32 PUSH0 RETURN. */
export const returning = (value: bigint): Hex => concatHex(['0x7f', word(value), '0x5f5260205ff3'])

/** Any call reverts without data. */
export const reverting: Hex = '0x5f5ffd'

/** Burns some 26 gas a round first. PUSH2, JUMPDEST, PUSH1 1 SWAP1 SUB, DUP1 PUSH1 3 JUMPI, POP. */
export const burning = (rounds: number, then: Hex): Hex =>
  concatHex(['0x61', numberToHex(rounds, { size: 2 }), '0x5b600190038060035750', then])

/** What a paymaster returns on validation: a context of `contextWords` words, and validation data. */
export function approving(validationData: bigint, contextWords: 0 | 1 = 0): Hex {
  const length = contextWords === 0 ? '0x' : '0x6020604052'
  const end = contextWords === 0 ? '0x60605ff3' : '0x60805ff3'
  return concatHex(['0x60405f52', '0x7f', word(validationData), '0x602052', length, end])
}

/**
 * Approves with a context, and reverts any call whose first byte is not that of `validatePaymasterUserOp`, with one word:
 * EntryPoint 0.6 reads one.
 */
export const failingAfterwards = (firstByte: Hex): Hex =>
  concatHex(['0x5f3560f81c60', firstByte, '0x14600f5760205ffd5b', approving(0n, 1)])

/** An account of EntryPoint 0.6 that takes every operation, and reverts each call with 2048 bytes. */
export const complaining: Hex = concatHex(['0x5f3560f81c603a146010576108005ffd5b', returning(0n)])

/** Validation data of a time that has passed (ERC-4337 § Validation). */
export const expired = 1n << 160n
