import { concatHex, type Hex, hexToNumber, isHex, numberToHex, size, slice } from 'viem'

// A call id consists of the operation's hash and the chain id, so that any provider can read the status, even after a
// reload or on another device.

const hashSize = 32
const chainIdSize = 6

export type OperationId = { chainId: number; hash: Hex }

export function toCallsId({ chainId, hash }: OperationId): Hex {
  return concatHex([hash, numberToHex(chainId, { size: chainIdSize })])
}

/** Parses a call id. Returns undefined if it does not have Latchkey's format. */
export function readCallsId(id: string): OperationId | undefined {
  if (!isHex(id) || size(id) !== hashSize + chainIdSize) return undefined
  return { hash: slice(id, 0, hashSize), chainId: hexToNumber(slice(id, hashSize)) }
}
