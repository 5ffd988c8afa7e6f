import { type Hex, isHex, keccak256 } from 'viem'
import { readUserOperation } from '../operations/readUserOperation.ts'

export declare namespace findSubmission {
  /** `hash`: undefined if it cannot be computed here. */
  type ReturnType = { hash: string | undefined; lookUp: string } | undefined
}

/** Returns the hash and look-up method of a submission; undefined for any other method. */
export function findSubmission(
  method: string,
  params: unknown,
  chainId: number | undefined,
): findSubmission.ReturnType {
  const [value, entryPoint] = Array.isArray(params) ? (params as unknown[]) : []
  if (method === 'eth_sendRawTransaction') return { hash: hashTransaction(value), lookUp: 'eth_getTransactionByHash' }
  if (method !== 'eth_sendUserOperation') return undefined
  return { hash: hashOperation(value, entryPoint, chainId), lookUp: 'eth_getUserOperationByHash' }
}

/** Hashes a transaction. A blob transaction (type 3, EIP-4844) is sent with blobs, which are not hashed. */
function hashTransaction(raw: unknown): Hex | undefined {
  return isHex(raw) && !raw.startsWith('0x03') ? keccak256(raw) : undefined
}

function hashOperation(value: unknown, entryPoint: unknown, chainId: number | undefined): string | undefined {
  if (typeof value !== 'object' || value === null || chainId === undefined) return undefined
  return readUserOperation(chainId, [value, entryPoint])?.userOpHash
}
