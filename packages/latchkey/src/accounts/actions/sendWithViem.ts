import type { Chain, Client, Hex, Transport } from 'viem'
import { type SmartAccount, sendUserOperation, waitForUserOperationReceipt } from 'viem/account-abstraction'
import { BaseError } from '../../core/errors/BaseError.ts'
import { ContractRevertedError } from '../errors/ContractRevertedError.ts'
import type { LatchkeyAccount } from '../types.ts'
import type { GasField, OperationOverrides } from './OperationClient.ts'

type SendParameters = { account: LatchkeyAccount; callData: Hex; overrides: OperationOverrides; waitForTxn: boolean }

/**
 * Sends a user operation with a viem bundler client. Returns the operation's hash, or the transaction hash with
 * `waitForTxn`.
 */
export async function sendWithViem(
  client: Client<Transport, Chain | undefined, SmartAccount | undefined>,
  { account, callData, overrides, waitForTxn }: SendParameters,
): Promise<Hex> {
  const { nonceKey, ...gas } = overrides
  const nonce = nonceKey === undefined ? undefined : await account.getNonce({ key: nonceKey })
  const hash = await sendUserOperation(client, { ...toViemOverrides(gas), account, callData, nonce })
  if (!waitForTxn) return hash
  const { receipt, success, reason } = await waitForUserOperationReceipt(client, { hash })
  if (success) return receipt.transactionHash
  throw new ContractRevertedError(reason)
}

type GasOverrides = Omit<OperationOverrides, 'nonceKey'>

/**
 * Converts overrides to the parameters of viem's `sendUserOperation`.
 *
 * @throws `CLIENT_INCOMPATIBLE` for overrides that viem does not support, `ARGUMENT_INVALID`.
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
