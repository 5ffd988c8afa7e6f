import type { Hex, SignableMessage, TypedDataDefinition } from 'viem'
import { accountChunk, providerChunk } from '../wallet/chunks.ts'
import type {
  ReplaceParameters,
  SendUserOperationParameters,
  SmartAccountClient,
  TransactionInput,
  TransactionsParameters,
  WaitRetries,
} from '../wallet/client/types.ts'
import type { SendCallsParameters } from '../wallet/provider/clientCalls.ts'
import { clientMutation } from './configMutation.ts'

// Mutations of a smart account client, one a line: its key, and what it does. The hook `useKey` has the same options.

export declare namespace sendUserOperationMutationOptions {
  type Parameters = {
    client: SmartAccountClient | undefined
    /**
     * Wait for the block; the result's hash is then the transaction's.
     *
     * @default false
     */
    waitForTxn?: boolean | undefined
  }
}

/**
 * Options of the mutation of `useSendUserOperation`: sends a user operation.
 *
 * @example
 * ```ts
 * import { sendUserOperationMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const target = '0x000000000000000000000000000000000000dEaD'
 * const { mutationFn } = sendUserOperationMutationOptions(config, { client, waitForTxn: true })
 * const { hash } = await mutationFn({ uo: { target, data: '0x' } })
 * console.log(hash)
 * ```
 */
export const sendUserOperationMutationOptions = /* @__PURE__ */ clientMutation(
  'sendUserOperation',
  async (client, parameters: SendUserOperationParameters, options: sendUserOperationMutationOptions.Parameters) =>
    options.waitForTxn
      ? (await accountChunk.load()).sendAndWait(client, parameters)
      : client.sendUserOperation(parameters),
)

/** Options of the mutation of `useSendTransaction`: sends a transaction as a user operation, and waits for its block. */
export const sendTransactionMutationOptions = /* @__PURE__ */ clientMutation(
  'sendTransaction',
  (client, transaction: TransactionInput) => client.sendTransaction(transaction),
)

/** Options of the mutation of `useSendTransactions`: several transactions as one user operation. */
export const sendTransactionsMutationOptions = /* @__PURE__ */ clientMutation(
  'sendTransactions',
  (client, parameters: TransactionsParameters) => client.sendTransactions(parameters),
)

/**
 * Options of the mutation of `useSendCalls`: calls as EIP-5792 has them, all or none.
 *
 * @example
 * ```ts
 * import { sendCallsMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const { mutationFn } = sendCallsMutationOptions(config, { client })
 * const { id } = await mutationFn({ calls: [{ to: client.smartAccount.address, value: 1n }] })
 * ```
 */
export const sendCallsMutationOptions = /* @__PURE__ */ clientMutation(
  'sendCalls',
  async (client, parameters: SendCallsParameters) => (await providerChunk.load()).sendCalls(client, parameters),
)

/** Options of the mutation of `useSignMessage`: a signature that also counts before the account is deployed (ERC-6492). */
export const signMessageMutationOptions = /* @__PURE__ */ clientMutation(
  'signMessage',
  (client, parameters: { message: SignableMessage }) => client.signMessageWith6492(parameters),
)

/** Options of the mutation of `useSignTypedData`: a signature of typed data (EIP-712) that also counts before the account is deployed. */
export const signTypedDataMutationOptions = /* @__PURE__ */ clientMutation(
  'signTypedData',
  (client, parameters: { typedData: TypedDataDefinition }) => client.signTypedDataWith6492(parameters),
)

/** Options of the mutation of `useWaitForUserOperationTransaction`: the transaction's hash, once the operation is in a block. */
export const waitForUserOperationTransactionMutationOptions = /* @__PURE__ */ clientMutation(
  'waitForUserOperationTransaction',
  (client, parameters: { hash: Hex; retries?: WaitRetries }) => client.waitForUserOperationTransaction(parameters),
)

/**
 * Options of the mutation of `useDropAndReplaceUserOperation`: the same nonce again, with higher fees. `uoToDrop` is the `request` of the pending operation.
 *
 * @example
 * ```ts
 * import { dropAndReplaceUserOperationMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const { request } = await client.sendUserOperation({ uo: '0x' })
 * await dropAndReplaceUserOperationMutationOptions(config, { client }).mutationFn({ uoToDrop: request })
 * ```
 */
export const dropAndReplaceUserOperationMutationOptions = /* @__PURE__ */ clientMutation(
  'dropAndReplaceUserOperation',
  (client, parameters: ReplaceParameters) => client.dropAndReplaceUserOperation(parameters),
)

/** Options of the mutation of `useOperations`: removes an operation from the list, by the id of its record. */
export const dismissOperationMutationOptions = /* @__PURE__ */ clientMutation(
  'dismissOperation',
  (client, id: string) => client.dismissOperation({ id }),
  'useOperations',
)
