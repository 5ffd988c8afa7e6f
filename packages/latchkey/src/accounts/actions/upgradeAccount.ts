import type { Address, Hex } from 'viem'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { callSelf } from './callSelf.ts'
import { accountOf, type OperationClient, type SendOptions } from './OperationClient.ts'

export declare namespace upgradeAccount {
  type Parameters = Omit<SendOptions, 'waitForTxn'> & {
    upgradeTo: {
      /** The new implementation. */
      implAddress: Address
      /** Call the account then makes to itself, for example to initialise; `0x` for none. */
      initializationData: Hex
    }
    /** Resolve when it is done, with the transaction's hash. Default false. */
    waitForTx?: boolean | undefined
  }
  /** Hash of the user operation, or of the transaction with `waitForTx`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Gives an account other code; its address, coins and entry-point deposit stay. Make a new account object for the new
 * version afterwards, with `accountAddress`; operations then go to that version's entry point. Code of another kind of
 * account must be set up by `initializationData`, in the same call: afterwards it would obey nobody, or anybody.
 * Whether another version finds the owner where the present one keeps it is the contracts' affair: those of the local
 * chain do; for a public chain, try it on a fork first.
 *
 * Throws what `encodeUpgradeToAndCall` of the account does, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`; a refusal of
 * the contract is a `ContractRevertedError`.
 */
export async function upgradeAccount(
  client: OperationClient,
  { upgradeTo, waitForTx, ...options }: upgradeAccount.Parameters,
): Promise<upgradeAccount.ReturnType> {
  const account = accountOf(client, options, 'upgradeAccount')
  const data = await account.encodeUpgradeToAndCall({
    upgradeToAddress: upgradeTo.implAddress,
    upgradeToInitData: upgradeTo.initializationData,
  })
  return callSelf(client, { ...options, account, data, waitForTxn: waitForTx }, 'upgradeAccount')
}
