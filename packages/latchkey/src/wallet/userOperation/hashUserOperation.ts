import type { Hex } from 'viem'
import { getUserOperationHash, type UserOperation } from 'viem/account-abstraction'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import type { UserOperationStruct } from '../client/types.ts'

/** Hash the account's owner signs: operation, entry point and chain (ERC-4337). */
export function hashUserOperation(account: LatchkeyAccount, struct: UserOperationStruct, chainId: number): Hex {
  return getUserOperationHash({
    chainId,
    entryPointAddress: account.entryPoint.address,
    entryPointVersion: account.entryPoint.version,
    // viem has one type a version of the entry point; the members of the other version are absent here.
    userOperation: struct as unknown as UserOperation,
  })
}
