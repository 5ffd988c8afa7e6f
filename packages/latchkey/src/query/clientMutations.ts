import type { Hex, SignableMessage, TypedDataDefinition } from 'viem'
import { accountChunk, providerChunk } from '../wallet/chunks.ts'
import type {
  SendUserOperationParameters,
  SendUserOperationResult,
  SmartAccountClient,
  TransactionInput,
  TransactionsParameters,
  WaitRetries,
} from '../wallet/client/types.ts'
import type { SendCallsParameters, SendCallsResult } from '../wallet/provider/clientCalls.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { type ConfigMutation, clientMutation } from './configMutation.ts'

/** `uoToDrop` is the `request` of the pending operation. */
type ReplaceVariables = Parameters<SmartAccountClient['dropAndReplaceUserOperation']>[0]

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
  type ReturnType = ConfigMutation<SendUserOperationResult, SendUserOperationParameters>
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
export function sendUserOperationMutationOptions(
  config: LatchkeyConfig,
  { client, waitForTxn }: sendUserOperationMutationOptions.Parameters,
): sendUserOperationMutationOptions.ReturnType {
  return clientMutation(config, {
    client,
    hook: 'useSendUserOperation',
    key: 'sendUserOperation',
    act: waitForTxn ? sendAndWait : (client, parameters) => client.sendUserOperation(parameters),
  })
}

export declare namespace sendTransactionMutationOptions {
  type Parameters = { client: SmartAccountClient | undefined }
  type ReturnType = ConfigMutation<Hex, TransactionInput>
}

/**
 * Options of the mutation of `useSendTransaction`: sends a transaction as a user operation, and waits for its block.
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
export function sendTransactionMutationOptions(
  config: LatchkeyConfig,
  { client }: sendTransactionMutationOptions.Parameters,
): sendTransactionMutationOptions.ReturnType {
  return clientMutation(config, {
    client,
    hook: 'useSendTransaction',
    key: 'sendTransaction',
    act: (client, transaction) => client.sendTransaction(transaction),
  })
}

export declare namespace sendTransactionsMutationOptions {
  type Parameters = { client: SmartAccountClient | undefined }
  type ReturnType = ConfigMutation<Hex, TransactionsParameters>
}

/**
 * Options of the mutation of `useSendTransactions`: several transactions as one user operation.
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
export function sendTransactionsMutationOptions(
  config: LatchkeyConfig,
  { client }: sendTransactionsMutationOptions.Parameters,
): sendTransactionsMutationOptions.ReturnType {
  return clientMutation(config, {
    client,
    hook: 'useSendTransactions',
    key: 'sendTransactions',
    act: (client, parameters) => client.sendTransactions(parameters),
  })
}

export declare namespace sendCallsMutationOptions {
  type Parameters = { client: SmartAccountClient | undefined }
  type ReturnType = ConfigMutation<SendCallsResult, SendCallsParameters>
}

/**
 * Options of the mutation of `useSendCalls`: calls as EIP-5792 has them, all or none.
 *
 * @example
 * ```ts
 * import { sendCallsMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const to = '0x000000000000000000000000000000000000dEaD'
 * const { mutationFn } = sendCallsMutationOptions(config, { client })
 * const { id } = await mutationFn({ calls: [{ to, value: 1n }] })
 * console.log(id)
 * ```
 */
export function sendCallsMutationOptions(
  config: LatchkeyConfig,
  { client }: sendCallsMutationOptions.Parameters,
): sendCallsMutationOptions.ReturnType {
  return clientMutation(config, {
    client,
    hook: 'useSendCalls',
    key: 'sendCalls',
    act: async (client, parameters) => (await providerChunk.load()).sendCalls(client, parameters),
  })
}

export declare namespace signMessageMutationOptions {
  type Parameters = { client: SmartAccountClient | undefined }
  type ReturnType = ConfigMutation<Hex, { message: SignableMessage }>
}

/**
 * Options of the mutation of `useSignMessage`: a signature that also counts before the account is deployed (ERC-6492).
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
export function signMessageMutationOptions(
  config: LatchkeyConfig,
  { client }: signMessageMutationOptions.Parameters,
): signMessageMutationOptions.ReturnType {
  return clientMutation(config, {
    client,
    hook: 'useSignMessage',
    key: 'signMessage',
    act: (client, parameters) => client.signMessageWith6492(parameters),
  })
}

export declare namespace signTypedDataMutationOptions {
  type Parameters = { client: SmartAccountClient | undefined }
  type ReturnType = ConfigMutation<Hex, { typedData: TypedDataDefinition }>
}

/**
 * Options of the mutation of `useSignTypedData`: a signature of typed data (EIP-712) that also counts before the account is deployed.
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
export function signTypedDataMutationOptions(
  config: LatchkeyConfig,
  { client }: signTypedDataMutationOptions.Parameters,
): signTypedDataMutationOptions.ReturnType {
  return clientMutation(config, {
    client,
    hook: 'useSignTypedData',
    key: 'signTypedData',
    act: (client, parameters) => client.signTypedDataWith6492(parameters),
  })
}

export declare namespace waitForUserOperationTransactionMutationOptions {
  type Parameters = { client: SmartAccountClient | undefined }
  type ReturnType = ConfigMutation<Hex, { hash: Hex; retries?: WaitRetries }>
}

/**
 * Options of the mutation of `useWaitForUserOperationTransaction`: the transaction's hash, once the operation is in a block.
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
export function waitForUserOperationTransactionMutationOptions(
  config: LatchkeyConfig,
  { client }: waitForUserOperationTransactionMutationOptions.Parameters,
): waitForUserOperationTransactionMutationOptions.ReturnType {
  return clientMutation(config, {
    client,
    hook: 'useWaitForUserOperationTransaction',
    key: 'waitForUserOperationTransaction',
    act: (client, parameters) => client.waitForUserOperationTransaction(parameters),
  })
}

export declare namespace dropAndReplaceUserOperationMutationOptions {
  type Parameters = { client: SmartAccountClient | undefined }
  type ReturnType = ConfigMutation<SendUserOperationResult, ReplaceVariables>
}

/**
 * Options of the mutation of `useDropAndReplaceUserOperation`: the same nonce again, with higher fees.
 *
 * @example
 * ```ts
 * import { dropAndReplaceUserOperationMutationOptions } from 'latchkey/query'
 * import { client, config } from './config.ts'
 *
 * const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x' } as const
 * const { request } = await client.sendUserOperation({ uo })
 * const { mutationFn } = dropAndReplaceUserOperationMutationOptions(config, { client })
 * const { hash } = await mutationFn({ uoToDrop: request })
 * console.log(hash)
 * ```
 */
export function dropAndReplaceUserOperationMutationOptions(
  config: LatchkeyConfig,
  { client }: dropAndReplaceUserOperationMutationOptions.Parameters,
): dropAndReplaceUserOperationMutationOptions.ReturnType {
  return clientMutation(config, {
    client,
    hook: 'useDropAndReplaceUserOperation',
    key: 'dropAndReplaceUserOperation',
    act: (client, parameters) => client.dropAndReplaceUserOperation(parameters),
  })
}

export declare namespace dismissOperationMutationOptions {
  type Parameters = { client: SmartAccountClient | undefined }
  type ReturnType = ConfigMutation<void, string>
}

/**
 * Options of the mutation of `useOperations`: removes an operation from the list, by the id of its record.
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
export function dismissOperationMutationOptions(
  config: LatchkeyConfig,
  { client }: dismissOperationMutationOptions.Parameters,
): dismissOperationMutationOptions.ReturnType {
  return clientMutation(config, {
    client,
    hook: 'useOperations',
    key: 'dismissOperation',
    act: (client, id) => client.dismissOperation({ id }),
  })
}

async function sendAndWait(client: SmartAccountClient, parameters: SendUserOperationParameters) {
  const parts = await accountChunk.load()
  return parts.sendAndWait(client, parameters)
}
