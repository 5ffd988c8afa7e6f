import {
  type AccessList,
  concat,
  type Hex,
  isAddress,
  type Signature,
  size,
  type TransactionSerializable,
  toHex,
} from 'viem'
import { BaseError } from '../core/errors/BaseError.ts'

/**
 * Serializes a transaction for hashing (without a signature) or sending (with a signature): legacy with EIP-155,
 * EIP-2930, EIP-1559 and EIP-7702. Replaces viem's `serializeTransaction`, which adds 7 kB (gzip) for blob
 * transactions. For blobs, use viem's.
 *
 * @throws `REQUEST_INVALID`.
 */
export function serializeTransaction(transaction: TransactionSerializable, signature?: Signature): Hex {
  const { type, to } = transaction
  if (typeof to === 'string' && !isAddress(to, { strict: false })) throw invalidError(`"${to}" is not an address.`)
  if (type === 'eip4844' || 'blobs' in transaction) {
    throw invalidError("A blob transaction needs viem's `serializeTransaction`: pass it as `serializer`.")
  }
  const { authorizationList, maxFeePerGas, maxPriorityFeePerGas } = transaction
  if (type === 'eip7702' || authorizationList) return serializeTyped('0x04', transaction, signature)
  if (type === 'eip1559' || maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined) {
    return serializeTyped('0x02', transaction, signature)
  }
  if (type === 'eip2930' || (type === undefined && transaction.accessList))
    return serializeTyped('0x01', transaction, signature)
  if (type === 'legacy' || transaction.gasPrice !== undefined) return serializeLegacy(transaction, signature)
  throw invalidError('It has no `type`, `maxFeePerGas` or `gasPrice`.')
}

function serializeTyped(
  type: '0x01' | '0x02' | '0x04',
  transaction: TransactionSerializable,
  signature?: Signature,
): Hex {
  const { chainId, nonce, gasPrice, maxPriorityFeePerGas, maxFeePerGas, accessList, authorizationList } = transaction
  if (!chainId) throw invalidError('It has no `chainId`.')
  const price = type === '0x01' ? [toInteger(gasPrice)] : [toInteger(maxPriorityFeePerGas), toInteger(maxFeePerGas)]
  const authorizations = (authorizationList ?? []).map((given) => {
    const at = ('address' in given ? given.address : undefined) ?? '0x'
    return [toInteger(given.chainId), at, toInteger(given.nonce), ...toSignatureFields(given as Signature)]
  })
  const fields: Rlp[] = [
    toInteger(chainId),
    toInteger(nonce),
    ...price,
    ...toCallFields(transaction),
    toAccessListField(accessList),
    ...(type === '0x04' ? [authorizations] : []),
    ...(signature ? toSignatureFields(signature) : []),
  ]
  return concat([type, toRlp(fields)])
}

function serializeLegacy(transaction: TransactionSerializable, signature?: Signature): Hex {
  const { chainId = 0, nonce, gasPrice } = transaction
  const fields: Rlp[] = [toInteger(nonce), toInteger(gasPrice), ...toCallFields(transaction)]
  if (!signature) return toRlp(chainId > 0 ? [...fields, toInteger(chainId), '0x', '0x'] : fields)
  const [, r, s] = toSignatureFields(signature)
  // EIP-155 adds the chain id to the recovery id.
  const v = (chainId > 0 ? 35 + 2 * chainId : 27) + Number(signature.yParity)
  return toRlp([...fields, toInteger(v), r, s])
}

function toCallFields({ gas, to, value, data }: TransactionSerializable): Rlp[] {
  return [toInteger(gas), to ?? '0x', toInteger(value), data ?? '0x']
}

function toAccessListField(accessList: AccessList | undefined): Rlp {
  return (accessList ?? []).map(({ address, storageKeys }) => [address, storageKeys])
}

/** Returns recovery bit, r and s of a signature, without leading zeros. */
function toSignatureFields({ yParity, r, s }: Signature): [Hex, Hex, Hex] {
  return [toInteger(yParity), toInteger(BigInt(r)), toInteger(BigInt(s))]
}

/** Encodes an integer as big-endian bytes without leading zeros. Zero and undefined are empty. */
function toInteger(value: number | bigint | undefined): Hex {
  if (!value) return '0x'
  const digits = toHex(value).slice(2)
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`
}

type Rlp = Hex | readonly Rlp[]

/**
 * Encodes recursive-length prefix (Ethereum yellow paper, appendix B). Replaces viem's `toRlp`, which adds 1 kB (gzip).
 */
function toRlp(value: Rlp): Hex {
  if (typeof value !== 'string') {
    const items = join(value.map(toRlp))
    return join([toPrefix(0xc0, size(items)), items])
  }
  const isOwnPrefix = size(value) === 1 && Number(value) < 0x80
  return isOwnPrefix ? value : join([toPrefix(0x80, size(value)), value])
}

function toPrefix(from: number, length: number): Hex {
  if (length < 56) return toHex(from + length, { size: 1 })
  const digits = toInteger(length)
  return join([toHex(from + 55 + size(digits), { size: 1 }), digits])
}

/** Joins hex strings. Accepts an empty list, unlike viem's `concat`. */
function join(parts: readonly Hex[]): Hex {
  return `0x${parts.map((part) => part.slice(2).toLowerCase()).join('')}`
}

function invalidError(why: string): BaseError {
  return new BaseError('The transaction cannot be signed.', { code: 'REQUEST_INVALID', metaMessages: [why] })
}
