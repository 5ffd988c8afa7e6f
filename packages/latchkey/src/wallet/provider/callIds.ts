import { concatHex, type Hex, hexToNumber, isHex, numberToHex, size, slice } from 'viem'

// A calls id consists of the operation's hash and the chain's id, so that the status can be read after a reload, on
// another device and by another provider.

const hashSize = 32
const chainIdSize = 6

export type OperationId = { chainId: number; hash: Hex }

export function toCallsId({ chainId, hash }: OperationId): Hex {
  return concatHex([hash, numberToHex(chainId, { size: chainIdSize })])
}

/** Parses a calls id. Returns undefined if the id does not have Latchkey's format. */
export function readCallsId(id: string): OperationId | undefined {
  if (!isHex(id) || size(id) !== hashSize + chainIdSize) return undefined
  return { hash: slice(id, 0, hashSize), chainId: hexToNumber(slice(id, hashSize)) }
}
