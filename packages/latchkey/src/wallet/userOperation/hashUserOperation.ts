import type { Hex } from 'viem'
import { getUserOperationHash } from 'viem/account-abstraction'
import type { LatchkeyAccount } from '../../accounts/types.ts'
import type { CompleteUserOperation } from './requireComplete.ts'

/** Hash the account's owner signs: operation, entry point and chain (ERC-4337). */
export function hashUserOperation(account: LatchkeyAccount, struct: CompleteUserOperation, chainId: number): Hex {
  const { address: entryPointAddress, version: entryPointVersion } = account.entryPoint
  // viem has one type a version of the entry point, without the members of the other.
  const { initCode, paymasterAndData, ...for07 } = struct
  const { factory, factoryData, paymaster, paymasterData, ...rest } = struct
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit, ...for06 } = rest
  const userOperation = entryPointVersion === '0.6' ? for06 : for07
  return getUserOperationHash({ chainId, entryPointAddress, entryPointVersion, userOperation })
}
