import { type Address, type Hex, isHex, keccak256 } from 'viem'
import {
  entryPoint06Address,
  entryPoint07Address,
  getUserOperationHash,
  type UserOperation,
} from 'viem/account-abstraction'

export declare namespace findSubmission {
  /** `hash`: undefined where it cannot be computed here. */
  type ReturnType = { hash: Hex | undefined; lookUp: string } | undefined
}

/** How a method that hands something in is recognised again; undefined for any other method. */
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

/** Of a blob transaction (type 3, EIP-4844), what is sent is more than what is hashed. */
function hashTransaction(raw: unknown): Hex | undefined {
  return isHex(raw) && !raw.startsWith('0x03') ? keccak256(raw) : undefined
}

const quantities = [
  'nonce',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
]

function hashOperation(value: unknown, entryPoint: unknown, chainId: number | undefined): Hex | undefined {
  if (typeof value !== 'object' || value === null || typeof entryPoint !== 'string' || chainId === undefined)
    return undefined
  // EIP-7702: the code of the delegation is hashed, too.
  if ('eip7702Auth' in value && value.eip7702Auth) return undefined
  const fields = Object.entries(value).filter(([, field]) => typeof field === 'string')
  const read = Object.fromEntries(
    fields.map(([name, field]) => [name, quantities.includes(name) ? BigInt(field) : field]),
  ) as unknown
  const common = { chainId, entryPointAddress: entryPoint as Address }
  try {
    if (isSame(entryPoint, entryPoint06Address))
      return getUserOperationHash({
        ...common,
        entryPointVersion: '0.6',
        userOperation: read as UserOperation<'0.6'>,
      })
    if (isSame(entryPoint, entryPoint07Address))
      return getUserOperationHash({
        ...common,
        entryPointVersion: '0.7',
        userOperation: read as UserOperation<'0.7'>,
      })
    return undefined
  } catch {
    // Not complete: the bundler will refuse it.
    return undefined
  }
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
