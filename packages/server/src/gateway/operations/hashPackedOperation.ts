import type { Address, Hex } from 'viem'
import { getUserOperationHash, type UserOperation } from 'viem/account-abstraction'

/** Versions of the EntryPoints whose operations are packed. */
export type PackedVersion = '0.7' | '0.8' | '0.9'

export declare namespace hashPackedOperation {
  type Parameters = {
    version: PackedVersion
    chainId: number
    entryPoint: Address
    operation: UserOperation<'0.7'> & {
      /** EntryPoint 0.9 only; not part of the hash. */
      paymasterSignature?: Hex | undefined
      /** Code that the sender delegates to (EIP-7702); hashed if the factory is `0x7702`. */
      delegate?: Address | undefined
    }
  }
}

/** Returns the hash of an operation (ERC-4337). From EntryPoint 0.8 on, this is the hash of typed data (EIP-712). */
export function hashPackedOperation(parameters: hashPackedOperation.Parameters): Hex {
  const { version, chainId, entryPoint, operation } = parameters
  const { delegate, ...userOperation } = operation
  // viem uses only the address.
  const authorization = delegate && { address: delegate, chainId, nonce: 0, r: '0x', s: '0x', yParity: 0 }
  return getUserOperationHash({
    chainId,
    entryPointAddress: entryPoint,
    entryPointVersion: version,
    userOperation: { ...userOperation, ...(authorization ? { authorization } : {}) } as never,
  })
}
