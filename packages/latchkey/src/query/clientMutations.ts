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

// Each mutation of a smart account client has a key and an action. The hook with the same name accepts the same
// options.

export declare namespace sendUserOperationMutationOptions {
  type Parameters = {
    client: SmartAccountClient | undefined
    /**
     * Waits until the operation is in a block. The result's `hash` is then the transaction hash.
     *
     * @default false
     */
    waitForTxn?: boolean | undefined
  }
}

/**
 * Returns the options of the mutation behind `useSendUserOperation`, which sends a user operation.
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline; errors of
 * `sendUserOperation`; with `waitForTxn`, also errors of `waitForUserOperationTransaction`.
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

/**
 * Returns the options of the mutation behind `useSendTransaction`, which sends a transaction as a user operation and
 * waits for its block.
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline; errors of
 * `sendTransactions`.
 *
 * @example
 * ```ts
 * import { sendTransactionMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const to = '0x000000000000000000000000000000000000dEaD'
 * const { mutationFn } = sendTransactionMutationOptions(config, { client })
 * const hash = await mutationFn({ to, value: 1n })
 * console.log(hash)
 * ```
 */
export const sendTransactionMutationOptions = /* @__PURE__ */ clientMutation(
  'sendTransaction',
  (client, transaction: TransactionInput) => client.sendTransaction(transaction),
)

/**
 * Returns the options of the mutation behind `useSendTransactions`, which sends several transactions as one user
 * operation.
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline; errors of
 * `sendTransactions`.
 *
 * @example
 * ```ts
 * import { sendTransactionsMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const to = '0x000000000000000000000000000000000000dEaD'
 * const { mutationFn } = sendTransactionsMutationOptions(config, { client })
 * const hash = await mutationFn({ requests: [{ to, value: 1n }] })
 * console.log(hash)
 * ```
 */
export const sendTransactionsMutationOptions = /* @__PURE__ */ clientMutation(
  'sendTransactions',
  (client, parameters: TransactionsParameters) => client.sendTransactions(parameters),
)

/**
 * Returns the options of the mutation behind `useSendCalls`, which sends a batch of calls (EIP-5792). Either all calls
 * take effect or none.
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline; `CHUNK_FAILED`;
 * a `ProviderRpcError` with the number of EIP-1193 or EIP-5792, whose `cause` is the error of `sendUserOperation`.
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

/**
 * Returns the options of the mutation behind `useSignMessage`, which signs a message. The signature is also valid
 * before the account is deployed (ERC-6492).
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNATURE_UNSUPPORTED`; errors of signing: `SIGNER_NOT_AUTHENTICATED`, `ABORTED` when the session ends first,
 * `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `FRAME_LOST`, `FRAME_TIMEOUT`, `HTTP_FAILED`,
 * `NETWORK_UNREACHABLE`.
 *
 * @example
 * ```ts
 * import { signMessageMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const { mutationFn } = signMessageMutationOptions(config, { client })
 * const signature = await mutationFn({ message: 'hello' })
 * console.log(signature)
 * ```
 */
export const signMessageMutationOptions = /* @__PURE__ */ clientMutation(
  'signMessage',
  (client, parameters: { message: SignableMessage }) => client.signMessageWith6492(parameters),
)

/**
 * Returns the options of the mutation behind `useSignTypedData`, which signs typed data (EIP-712). The signature is
 * also valid before the account is deployed (ERC-6492).
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `CHAIN_MISMATCH`, `SIGNATURE_UNSUPPORTED`; errors of signing: `SIGNER_NOT_AUTHENTICATED`, `ABORTED` when the session
 * ends first, `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `FRAME_LOST`, `FRAME_TIMEOUT`, `HTTP_FAILED`,
 * `NETWORK_UNREACHABLE`.
 *
 * @example
 * ```ts
 * import { signTypedDataMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const typedData = {
 *   types: { Greeting: [{ name: 'text', type: 'string' }] },
 *   primaryType: 'Greeting',
 *   message: { text: 'hello' },
 * }
 * const { mutationFn } = signTypedDataMutationOptions(config, { client })
 * const signature = await mutationFn({ typedData })
 * console.log(signature)
 * ```
 */
export const signTypedDataMutationOptions = /* @__PURE__ */ clientMutation(
  'signTypedData',
  (client, parameters: { typedData: TypedDataDefinition }) => client.signTypedDataWith6492(parameters),
)

/**
 * Returns the options of the mutation behind `useWaitForUserOperationTransaction`, which resolves to the transaction
 * hash once the operation is in a block.
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline; errors of
 * `waitForUserOperationTransaction`.
 *
 * @example
 * ```ts
 * import { waitForUserOperationTransactionMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const { mutationFn } = waitForUserOperationTransactionMutationOptions(config, { client })
 * const transactionHash = await mutationFn({ hash: `0x${'11'.repeat(32)}` })
 * console.log(transactionHash)
 * ```
 */
export const waitForUserOperationTransactionMutationOptions = /* @__PURE__ */ clientMutation(
  'waitForUserOperationTransaction',
  (client, parameters: { hash: Hex; retries?: WaitRetries }) => client.waitForUserOperationTransaction(parameters),
)

/**
 * Returns the options of the mutation behind `useDropAndReplaceUserOperation`, which sends an operation again with the
 * same nonce and higher fees. `uoToDrop` is the `request` of the pending operation.
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline; errors of
 * `dropAndReplaceUserOperation`.
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

/**
 * Returns the options of the mutation behind `useOperations` that removes an operation from the list, by the id of its
 * record.
 *
 * @throws `CLIENT_MISSING` without a client, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline; errors of
 * `dismissOperation`.
 *
 * @example
 * ```ts
 * import { dismissOperationMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const { mutationFn } = dismissOperationMutationOptions(config, { client })
 * await mutationFn('record')
 * ```
 */
export const dismissOperationMutationOptions = /* @__PURE__ */ clientMutation(
  'dismissOperation',
  (client, id: string) => client.dismissOperation({ id }),
  'useOperations',
)
