import { type AccessList, concat, type Hex, isAddress, type Signature, type TransactionSerializable, toHex } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { type Rlp, toRlp } from './toRlp.ts'

/**
 * A transaction as it is hashed (without a signature) or sent (with one): legacy with EIP-155, EIP-2930, EIP-1559 and
 * EIP-7702. Its own, because viem's brings blobs and their commitments along; those need viem's `serializeTransaction`.
 */
export function serializeTransaction(transaction: TransactionSerializable, signature?: Signature): Hex {
  const { type, to } = transaction
  if (typeof to === 'string' && !isAddress(to, { strict: false })) throw invalidError(`"${to}" is no address.`)
  if (type === 'eip4844' || 'blobs' in transaction) {
    throw invalidError("A blob transaction needs viem's `serializeTransaction`: pass it as `serializer`.")
  }
  const { authorizationList, maxFeePerGas, maxPriorityFeePerGas } = transaction
  if (type === 'eip7702' || authorizationList) return typed('0x04', transaction, signature)
  if (type === 'eip1559' || maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined) {
    return typed('0x02', transaction, signature)
  }
  if (type === 'eip2930' || (type === undefined && transaction.accessList)) return typed('0x01', transaction, signature)
  if (type === 'legacy' || transaction.gasPrice !== undefined) return legacy(transaction, signature)
  throw invalidError('It says neither its `type` nor what gas costs: `maxFeePerGas` or `gasPrice`.')
}

/** EIP-2718 envelopes. */
function typed(type: '0x01' | '0x02' | '0x04', transaction: TransactionSerializable, signature?: Signature): Hex {
  const { chainId, nonce, gasPrice, maxPriorityFeePerGas, maxFeePerGas, accessList, authorizationList } = transaction
  if (!chainId) throw invalidError('It has no `chainId`.')
  const price = type === '0x01' ? [number(gasPrice)] : [number(maxPriorityFeePerGas), number(maxFeePerGas)]
  const authorizations = (authorizationList ?? []).map((given) => {
    const at = ('address' in given ? given.address : undefined) ?? '0x'
    return [number(given.chainId), at, number(given.nonce), ...ending(given as Signature)]
  })
  const fields: Rlp[] = [
    number(chainId),
    number(nonce),
    ...price,
    ...call(transaction),
    listed(accessList),
    ...(type === '0x04' ? [authorizations] : []),
    ...(signature ? ending(signature) : []),
  ]
  return concat([type, toRlp(fields)])
}

function legacy(transaction: TransactionSerializable, signature?: Signature): Hex {
  const { chainId = 0, nonce, gasPrice } = transaction
  const fields: Rlp[] = [number(nonce), number(gasPrice), ...call(transaction)]
  if (!signature) return toRlp(chainId > 0 ? [...fields, number(chainId), '0x', '0x'] : fields)
  const [, r, s] = ending(signature)
  // EIP-155: the chain is in the recovery id.
  const v = (chainId > 0 ? 35 + 2 * chainId : 27) + Number(signature.yParity)
  return toRlp([...fields, number(v), r, s])
}

function call({ gas, to, value, data }: TransactionSerializable): Rlp[] {
  return [number(gas), to ?? '0x', number(value), data ?? '0x']
}

function listed(accessList: AccessList | undefined): Rlp {
  return (accessList ?? []).map(({ address, storageKeys }) => [address, storageKeys])
}

/** Recovery bit and the two numbers of a signature, without leading zeros. */
function ending({ yParity, r, s }: Signature): [Hex, Hex, Hex] {
  return [number(yParity), number(BigInt(r)), number(BigInt(s))]
}

/** Big-endian without leading zeros; none is empty. */
function number(value: number | bigint | undefined): Hex {
  if (!value) return '0x'
  const digits = toHex(value).slice(2)
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}

function invalidError(why: string): BaseError {
  return new BaseError('The transaction cannot be signed.', { code: 'REQUEST_INVALID', metaMessages: [why] })
}
