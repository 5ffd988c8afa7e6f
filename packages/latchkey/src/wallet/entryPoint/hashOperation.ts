import type { Address, Hex } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import { toSignedFields } from '../../accounts/toSignedFields.ts'
import { type EntryPointVersion, entryPoints } from '../../core/chains/entryPoints.ts'
import type { CompleteUserOperation } from '../userOperation/types.ts'

export declare namespace hashOperation {
  type Place = { version: EntryPointVersion; chainId: number; entryPointAddress: Address }
}

/**
 * Returns the hash of an operation (ERC-4337 § UserOperation). Since EntryPoint 0.8, this is an EIP-712 hash that
 * includes the EIP-7702 delegate. EntryPoint 0.9 excludes the paymaster's signature.
 */
export function hashOperation(operation: CompleteUserOperation, { version, ...place }: hashOperation.Place): Hex {
  const { viemVersion: entryPointVersion } = entryPoints[version]
  return getUserOperationHash<'0.9'>({ ...place, entryPointVersion, userOperation: toSignedFields(operation) })
}
