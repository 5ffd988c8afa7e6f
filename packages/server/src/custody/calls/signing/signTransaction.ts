import { hexToBytes, keccak256, parseTransaction, serializeTransaction, type TransactionSerializable } from 'viem'
import { z } from 'zod'
import { custodyError } from '../../custodyError.ts'
import { signWithSchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import { assertOwnOrganization } from '../../permissions.ts'
import { withSigningKey } from '../../wallets/withSigningKey.ts'
import { createSigningEvaluator } from './evaluateSigning.ts'
import { toTransaction } from './readPayload.ts'

const parameters = z.strictObject({
  signWith: signWithSchema,
  unsignedTransaction: z
    .string()
    .regex(/^(?:0x)?(?:[0-9a-fA-F]{2})+$/, 'must be hex, with or without 0x')
    .transform((hex): `0x${string}` => `0x${hex.replace(/^0x/, '').toLowerCase()}`),
  type: z.literal(
    'TRANSACTION_TYPE_ETHEREUM',
    'must be TRANSACTION_TYPE_ETHEREUM: transactions of Solana and other chains are not served',
  ),
})

const transactions = createSigningEvaluator<z.output<typeof parameters>>(async ({ parameters }) => {
  const transaction = readUnsigned(parameters.unsignedTransaction)
  const digest = hexToBytes(keccak256(serializeTransaction(withoutBlobs(transaction))))
  return [{ digest, ...toTransaction(transaction) }]
})

/**
 * `sign_transaction`, version 2: signs an Ethereum transaction of any type: legacy (EIP-155 and before), 1 (EIP-2930),
 * 2 (EIP-1559), 3 (EIP-4844, with its blobs or without) and 4 (EIP-7702); custody protocol § 2.6.
 */
export const signTransaction = defineActivity({
  types: {
    ACTIVITY_TYPE_SIGN_TRANSACTION_V2: { intent: 'signTransactionIntentV2', result: 'signTransactionResult' },
  },
  parameters,
  authorize: assertOwnOrganization,
  isPure: true,
  forScopedKeys: true,
  readLoggedIntent: transactions.readLoggedIntent,
  isCounted: transactions.isCounted,
  confirmation: transactions.toReview,
  async execute(context, execution) {
    const { db, organization, parameters } = execution
    const transaction = readUnsigned(parameters.unsignedTransaction)
    const [digest = new Uint8Array()] = await transactions.takeDigests(context, execution)
    const signer = { orgId: organization.id, signWith: parameters.signWith }
    return withSigningKey(db, context.keyEncryption, signer, (sign) => {
      const { r, s, v } = sign(digest)
      const yParity = Number.parseInt(v, 16)
      const signed = serializeTransaction(transaction, { r: `0x${r}`, s: `0x${s}`, yParity, v: BigInt(yParity + 27) })
      return { signedTransaction: signed.slice(2) }
    })
  },
})

/**
 * Parses an unsigned transaction. It must serialize back to the same bytes, so that exactly the input is signed.
 * @throws `REQUEST_INVALID`.
 */
function readUnsigned(hex: `0x${string}`): TransactionSerializable {
  const transaction = attempt(() => parseTransaction(hex) as TransactionSerializable)
  if (transaction.r !== undefined) throw custodyError('REQUEST_INVALID', 'The transaction is signed already.')
  if (attempt(() => serializeTransaction(transaction)) === hex) return transaction
  throw custodyError('REQUEST_INVALID', 'The transaction is not in its one canonical encoding. Serialize it again.')
}

function attempt<result>(work: () => result): result {
  try {
    return work()
  } catch (cause) {
    throw custodyError('REQUEST_INVALID', 'unsignedTransaction is not an unsigned Ethereum transaction.', cause)
  }
}

/** Removes the blobs, which are sent with the transaction but not signed (EIP-4844). */
function withoutBlobs(transaction: TransactionSerializable): TransactionSerializable {
  return transaction.type === 'eip4844' ? { ...transaction, sidecars: false } : transaction
}
