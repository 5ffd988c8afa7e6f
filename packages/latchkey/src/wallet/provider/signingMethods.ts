import { type Address, type Hex, isAddress, isHex, type SignableMessage } from 'viem'
import type { SmartAccountClient, TransactionInput } from '../client/types.ts'
import { ProviderRpcError } from './ProviderRpcError.ts'
import {
  invalidParams,
  readAddressParam,
  readChainId,
  readFields,
  readHexParam,
  readQuantityParam,
  readTypedData,
  requireAccount,
} from './parameters.ts'
import type { ProviderContext, ProviderMethod } from './types.ts'

// Methods that require an account and the user's consent.

/** Sends a transaction. Resolves to its hash once it is in a block. */
export const sendTransaction: ProviderMethod = async (context, params, method) => {
  const client = await requireClient(context)
  const transaction = readTransaction(params[0], client)
  await confirm(context, client, method, params)
  return client.sendTransaction(transaction)
}

/** Signs `[address, data]`: hex data as bytes, other data as text (EIP-191). */
export const sign: ProviderMethod = async (context, params, method) => signData(context, params, method, params)

/** Signs `[data, address]`. Also accepts the order of `eth_sign`, which some apps use. */
export const personalSign: ProviderMethod = async (context, params, method) => {
  const [first, second] = params
  const isSwapped = isAddressText(first) && !isAddressText(second)
  return signData(context, params, method, isSwapped ? [first, second] : [second, first])
}

/** Signs `[address, typed data]`, with the typed data as JSON text or an object (EIP-712). */
export const signTypedData: ProviderMethod = async (context, params, method) => {
  const client = await requireClient(context)
  requireAccount(client, readAddressParam(params[0], 'The first parameter'))
  const typedData = readTypedData(params[1], client.chain.id)
  await confirm(context, client, method, params)
  return client.signTypedDataWith6492({ typedData })
}

async function signData(
  context: ProviderContext,
  params: readonly unknown[],
  method: string,
  [address, data]: readonly unknown[],
): Promise<Hex> {
  const client = await requireClient(context)
  requireAccount(client, readAddressParam(address, 'The address'))
  if (typeof data !== 'string') throw invalidParams('The message must be text, or bytes in hex.')
  const message: SignableMessage = isHex(data) ? { raw: toBytesHex(data) } : data
  await confirm(context, client, method, params)
  return client.signMessageWith6492({ message })
}

export async function requireClient({ wallet }: ProviderContext): Promise<SmartAccountClient> {
  const client = wallet.client() ?? (await wallet.readyClient())
  if (client) return client
  throw new ProviderRpcError('unauthorized', 'No account is connected. Call eth_requestAccounts first.')
}

/** Throws 4001 unless the user agrees, and 4100 if the account or the chain changes in the meantime. */
export async function confirm(
  { wallet, options }: ProviderContext,
  client: SmartAccountClient,
  method: string,
  params: readonly unknown[],
): Promise<void> {
  const request = { method, params, address: client.account.address, chainId: client.chain.id }
  if (options.confirm && !(await agrees(options.confirm, request))) {
    throw new ProviderRpcError('userRejected', 'The user refused the request.')
  }
  const now = wallet.client()
  if (!now || now.chain.id !== client.chain.id) {
    throw new ProviderRpcError('unauthorized', 'The account or the chain changed during the request.')
  }
  requireAccount(now, client.account.address)
}

async function agrees(ask: NonNullable<ProviderContext['options']['confirm']>, request: Parameters<typeof ask>[0]) {
  try {
    return (await ask(request)) === true
  } catch (cause) {
    throw new ProviderRpcError('userRejected', 'The user refused the request.', { cause })
  }
}

/**
 * Transaction fields that only plain keys support. Nonce and gas fields are ignored, because an operation has its own.
 */
const refusedMembers = ['authorizationList', 'blobs', 'blobVersionedHashes', 'maxFeePerBlobGas'] as const

function readTransaction(value: unknown, client: SmartAccountClient): TransactionInput {
  const fields = readFields(value, 'The transaction')
  if (fields.from !== undefined) requireAccount(client, readAddressParam(fields.from, '`from`'))
  if (fields.chainId !== undefined && readChainId(fields.chainId) !== client.chain.id) {
    throw new ProviderRpcError('chainDisconnected', `The wallet is on chain ${client.chain.id}. Switch first.`)
  }
  const refused = refusedMembers.find((name) => fields[name] !== undefined)
  if (refused) throw invalidParams(`A smart account cannot send a transaction with \`${refused}\`.`)
  return {
    ...readCall(fields),
    maxFeePerGas: readQuantityParam(fields.maxFeePerGas, '`maxFeePerGas`'),
    maxPriorityFeePerGas: readQuantityParam(fields.maxPriorityFeePerGas, '`maxPriorityFeePerGas`'),
  }
}

/** Reads target, value and data of a transaction or call. */
export function readCall(fields: { readonly [name: string]: unknown }): { to: Address; data: Hex; value: bigint } {
  if (fields.to === undefined || fields.to === null) {
    throw invalidParams('Transaction is missing `to` address set on request')
  }
  const { data, input } = fields
  if (data !== undefined && input !== undefined && data !== input) throw invalidParams('`data` and `input` differ.')
  return {
    to: readAddressParam(fields.to, '`to`'),
    data: toBytesHex(readHexParam(data ?? input ?? '0x', '`data`')),
    value: readQuantityParam(fields.value, '`value`') ?? 0n,
  }
}

function toBytesHex(data: Hex): Hex {
  if (data.length % 2 === 0) return data
  throw invalidParams('Bytes in hex have two digits each.')
}

function isAddressText(value: unknown): boolean {
  return typeof value === 'string' && isAddress(value, { strict: false })
}
