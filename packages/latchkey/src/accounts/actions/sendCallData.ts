import type { Hex } from 'viem'
import { sendUserOperation, waitForUserOperationReceipt } from 'viem/account-abstraction'
import { BaseError } from '../../core/errors/BaseError.ts'
import { ContractRevertedError, toContractError } from '../errors/ContractRevertedError.ts'
import type { LatchkeyAccount } from '../types.ts'
import {
  type GasField,
  isLatchkeyClient,
  type OperationClient,
  type OperationOverrides,
  requireAccount,
  type SendOptions,
} from './OperationClient.ts'

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
 * Sends a user operation with either kind of client.
 *
 * @throws `CONTRACT_REVERTED` (`ContractRevertedError`), `CLIENT_INCOMPATIBLE`, `ARGUMENT_INVALID`, and those of the
 * client.
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
    const { nonceKey, ...gas } = overrides
    const nonce = nonceKey === undefined ? undefined : await account.getNonce({ key: nonceKey })
    const hash = await sendUserOperation(client, { ...toViemOverrides(gas), account, callData, nonce })
    if (!waitForTxn) return hash
    const { receipt, success, reason } = await waitForUserOperationReceipt(client, { hash })
    if (success) return receipt.transactionHash
    throw new ContractRevertedError(reason)
  } catch (error) {
    throw toContractError(error, { action: 'The user operation could not be sent.' })
  }
}

/** Sends an operation in which the account calls itself: how an owner changes the account. */
export async function callSelf(
  client: OperationClient,
  { data, ...options }: SendOptions & { data: Hex },
  method: string,
): Promise<sendCallData.ReturnType> {
  const account = requireAccount(client, options, method)
  const callData = await account.encodeCalls([{ to: account.address, data }])
  return sendCallData(client, { ...options, account, callData })
}

type GasOverrides = Omit<OperationOverrides, 'nonceKey'>

/**
 * Overrides as viem's `sendUserOperation` takes them.
 *
 * @throws `CLIENT_INCOMPATIBLE` for those viem has no parameter for, `ARGUMENT_INVALID`.
 */
export function toViemOverrides(overrides: GasOverrides): { [field in GasField]?: bigint } {
  return Object.fromEntries(
    Object.entries(overrides)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [field, toBigInt(field, value)]),
  )
}

function toBigInt(field: string, value: GasOverrides[keyof GasOverrides]): bigint {
  const isValue = typeof value !== 'object' && value !== undefined && value !== '0x'
  if (isValue && /^(?:0x[0-9a-f]+|\d+)$/i.test(String(value))) return BigInt(value)
  if (isValue) {
    throw new BaseError(`\`overrides.${field}\` is not a whole number: ${value}`, {
      code: 'ARGUMENT_INVALID',
      metaMessages: ['Pass gas, or wei a gas, as a bigint.'],
    })
  }
  throw new BaseError(`A viem bundler client cannot do what \`overrides.${field}\` asks for.`, {
    code: 'CLIENT_INCOMPATIBLE',
    metaMessages: ['Give the value itself, or use a client of `createSmartAccountClient`.'],
  })
}
