import { type Address, numberToHex } from 'viem'
import type { SmartAccountClient } from '../client/types.ts'
import { ProviderRpcError, toProviderError } from './ProviderRpcError.ts'
import { invalidParams, readChainId, readFields } from './parameters.ts'
import { personalSign, sendTransaction, sign, signTypedData } from './signingMethods.ts'
import type { ProviderContext, ProviderMethod } from './types.ts'

/** Wallet methods (EIP-1193) that use the account. */
export const ownMethods: { readonly [method: string]: ProviderMethod } = {
  eth_accounts: async ({ wallet }) => listAccounts(wallet.client()),
  eth_requestAccounts: requestAccounts,
  eth_coinbase: async ({ wallet }) => wallet.client()?.account.address ?? null,
  eth_chainId: async ({ wallet }) => numberToHex(wallet.chain().id),
  net_version: async ({ wallet }) => String(wallet.chain().id),
  eth_sendTransaction: sendTransaction,
  eth_sign: sign,
  personal_sign: personalSign,
  eth_signTypedData_v4: signTypedData,
  wallet_addEthereumChain: addChain,
  wallet_switchEthereumChain: switchChain,
}

/** Runs a wallet method with a single client, whose chain and account are fixed. */
export async function requestOfClient(client: SmartAccountClient, request: unknown): Promise<unknown> {
  const wallet = {
    chain: () => client.chain,
    chainIds: () => [client.chain.id],
    reader: () => client,
    client: () => client,
    readyClient: async () => client,
    switchChain: async () => {},
    watch: () => () => {},
  }
  try {
    const { method, params } = readRequest(request)
    return await ownMethods[method]?.({ wallet, options: {} }, params, method)
  } catch (error) {
    throw toProviderError(error)
  }
}

export function readRequest(request: unknown): { method: string; params: readonly unknown[] } {
  const { method, params = [] } = readFields(request, 'The request')
  if (typeof method !== 'string' || method === '') throw invalidParams('`method` must be the name of a method.')
  return { method, params: Array.isArray(params) ? params : [params] }
}

async function requestAccounts(context: ProviderContext): Promise<readonly Address[]> {
  const { wallet, options } = context
  const known = wallet.client() ?? (await wallet.readyClient())
  if (known) return listAccounts(known)
  if (options.connect) await options.connect()
  const client = await wallet.readyClient()
  if (client) return listAccounts(client)
  throw new ProviderRpcError('unauthorized', 'Nobody is signed in. Sign in on the page first.')
}

/** Switches the chain (EIP-3326). Returns null, or throws 4902 for an unknown chain. */
async function switchChain({ wallet }: ProviderContext, params: readonly unknown[]): Promise<null> {
  const chainId = readChainId(readFields(params[0], 'The first parameter').chainId)
  if (!wallet.chainIds().includes(chainId)) {
    throw new ProviderRpcError('unrecognizedChain', `The wallet has no chain ${chainId}.`)
  }
  if (chainId !== wallet.chain().id) await wallet.switchChain(chainId)
  return null
}

/** Accepts a chain that the wallet already has (EIP-3085). Changes nothing. */
async function addChain({ wallet }: ProviderContext, params: readonly unknown[]): Promise<null> {
  const chainId = readChainId(readFields(params[0], 'The first parameter').chainId)
  if (wallet.chainIds().includes(chainId)) return null
  throw new ProviderRpcError('unsupportedMethod', `The wallet has no chain ${chainId}, and pages cannot add one.`)
}

const listAccounts = (client: SmartAccountClient | undefined) => (client ? [client.account.address] : [])
