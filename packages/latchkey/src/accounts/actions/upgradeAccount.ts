import type { Address, Hex } from 'viem'
import { type OperationClient, requireAccount, type SendOptions } from './OperationClient.ts'
import { callSelf } from './sendCallData.ts'

export declare namespace upgradeAccount {
  type Parameters = Omit<SendOptions, 'waitForTxn'> & {
    upgradeTo: {
      /** New implementation. */
      implAddress: Address
      /** Call that the account makes to itself after the upgrade, for example to initialize itself; `0x` for none. */
      initializationData: Hex
    }
    /** Whether to wait until the operation is in a block, and return the transaction hash. @default false */
    waitForTx?: boolean | undefined
  }
  /** Hash of the user operation, or transaction hash with `waitForTx`. */
  type ReturnType = Hex
}

/**
 * Changes an account's implementation. Its address, ether and EntryPoint deposit do not change. Afterwards, create a
 * new account object for the new version with `accountAddress`. The new object's operations use the EntryPoint of the
 * new version.
 *
 * If the new implementation is another type of account, `initializationData` must initialize it in the same call.
 * Otherwise the account has no owner, or any address can become its owner. Another version of the same type finds the
 * owner only if both versions store the owner in the same slot, as the devnet's contracts do. For a public chain, try
 * the upgrade on a fork first.
 *
 * @throws `UPGRADE_UNSUPPORTED`, `IMPLEMENTATION_UNKNOWN`, `STORAGE_SLOT_FAILED`, `ADDRESS_INVALID`,
 * `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { upgradeAccount } from 'latchkey/accounts'
 * import { client } from './config.ts'
 *
 * const implAddress = '0x8E8e658E22B12ada97B402fF0b044D6A325013C7'
 * const hash = await upgradeAccount(client, { upgradeTo: { implAddress, initializationData: '0x' }, waitForTx: true })
 * console.log(hash)
 * ```
 */
export async function upgradeAccount(
  client: OperationClient,
  { upgradeTo, waitForTx, ...options }: upgradeAccount.Parameters,
): Promise<upgradeAccount.ReturnType> {
  const account = requireAccount(client, options, 'upgradeAccount')
  const data = await account.encodeUpgradeToAndCall({
    upgradeToAddress: upgradeTo.implAddress,
    upgradeToInitData: upgradeTo.initializationData,
  })
  return callSelf(client, { ...options, account, data, waitForTxn: waitForTx }, 'upgradeAccount')
}
