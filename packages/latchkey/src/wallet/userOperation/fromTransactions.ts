import { type Address, isAddressEqual } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { TransactionInput } from '../client/types.ts'
import { bigIntMax } from './gasValues.ts'
import type { CallInput, UserOperationOverrides } from './types.ts'

export declare namespace fromTransactions {
  type ReturnType = { batch: CallInput[]; overrides: UserOperationOverrides }
}

const feeFields = ['maxFeePerGas', 'maxPriorityFeePerGas'] as const

/**
 * Converts transactions to the calls of one user operation. Uses the fees in the overrides, otherwise the highest fees
 * of the transactions.
 *
 * @throws `USER_OPERATION_INVALID`.
 */
export function fromTransactions(
  account: Address,
  transactions: readonly TransactionInput[],
  overrides: UserOperationOverrides = {},
): fromTransactions.ReturnType {
  const fees = feeFields.flatMap((field) => {
    const [first, ...more] = transactions
      .flatMap((transaction) => transaction[field] ?? [])
      .map((value) => toQuantity(value, field))
    return first === undefined ? [] : [[field, bigIntMax(first, ...more)] as const]
  })
  for (const { from } of transactions) if (from && !isAddressEqual(from, account)) throw otherSender(from, account)
  const own = Object.entries(overrides).filter(([, value]) => value !== undefined)
  return { batch: transactions.map(toCall), overrides: { ...Object.fromEntries(fees), ...Object.fromEntries(own) } }
}

function toCall({ to, data = '0x', value = 0n }: TransactionInput): CallInput {
  if (to) return { target: to, data, value: toQuantity(value, 'value') }
  throw new BaseError('Transaction is missing `to` address set on request', {
    code: 'USER_OPERATION_INVALID',
    metaMessages: ['A smart account deploys contracts by a call to a factory, not by a transaction without `to`.'],
    name: 'TransactionMissingToParamError',
  })
}

function otherSender(from: Address, account: Address): BaseError {
  return new BaseError('The transaction’s `from` is not the address of the account.', {
    code: 'USER_OPERATION_INVALID',
    metaMessages: [`From: ${from}`, `Account: ${account}`, 'Omit `from`, or use the client of that account.'],
  })
}

function toQuantity(value: bigint | string, field: string): bigint {
  if (typeof value === 'bigint') return value
  if (/^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value)
  throw new BaseError(`The transaction's ${field} is not a quantity.`, {
    code: 'USER_OPERATION_INVALID',
    metaMessages: ['Pass a bigint, or hex such as 0x1f.'],
  })
}
