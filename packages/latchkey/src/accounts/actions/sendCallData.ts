import type { Hex } from 'viem'
import { sendUserOperation, waitForUserOperationReceipt } from 'viem/account-abstraction'
import type { BaseError } from '../../core/errors/BaseError.ts'
import { ContractRevertedError } from '../reverts/ContractRevertedError.ts'
import { toContractError } from '../reverts/toContractError.ts'
import type { LatchkeyAccount } from '../types.ts'
import { isLatchkeyClient, type OperationClient, type SendOptions } from './OperationClient.ts'
import { toViemOverrides } from './toViemOverrides.ts'

export declare namespace sendCallData {
  type Parameters = SendOptions & {
    account: LatchkeyAccount
    /** Call data for the account as it is. */
    callData: Hex
  }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Sends a user operation with either kind of client. What the contract says against it comes out as a
 * `ContractRevertedError` (`CONTRACT_REVERTED`).
 */
export async function sendCallData(
  client: OperationClient,
  { account, callData, overrides = {}, context, waitForTxn = false }: sendCallData.Parameters,
): Promise<sendCallData.ReturnType> {
  try {
    if (isLatchkeyClient(client)) {
      const { hash } = await client.sendUserOperation({ uo: callData, overrides, context })
      return waitForTxn ? await client.waitForUserOperationTransaction({ hash }) : hash
    }
    const { nonceKey, ...fixed } = overrides
    const nonce = nonceKey === undefined ? undefined : await account.getNonce({ key: nonceKey })
    const hash = await sendUserOperation(client, { ...toViemOverrides(fixed), account, callData, nonce })
    if (!waitForTxn) return hash
    const { receipt, success, reason } = await waitForUserOperationReceipt(client, { hash })
    if (success) return receipt.transactionHash
    throw new ContractRevertedError(reason)
  } catch (error) {
    throw toContractError(error, { action: 'The user operation could not be sent.' })
  }
}
