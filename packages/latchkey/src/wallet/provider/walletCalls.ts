import { callsStatus, toCallsReceipt } from 'latchkey-protocol'
import { type Hex, numberToHex } from 'viem'
import { readOwnReceipt } from '../client/actions/bundlerActions.ts'
import type { RpcClient, SmartAccountClient } from '../client/types.ts'
import { readObject, rpc } from '../rpc.ts'
import type { CallInput } from '../userOperation/types.ts'
import { type OperationId, readCallsId, toCallsId } from './callIds.ts'
import { ProviderRpcError } from './ProviderRpcError.ts'
import { invalidParams, readAddressParam, readChainId, readFields, requireAccount } from './parameters.ts'
import { type PaymasterService, readPaymasterService, withPaymasterService } from './paymasterService.ts'
import { confirm, readCall, requireClient } from './signingMethods.ts'
import type { ProviderContext, ProviderMethod } from './types.ts'

// Wallet Call API (EIP-5792). A batch of calls is one user operation, so it is always atomic.

const version = '2.0.0'
const maxCalls = 200
const maxIdLength = 4096
/** Maximum number of app-chosen ids per provider. */
const maxGivenIds = 1000

/** Operations by app-chosen id, stored until the page is closed. Ids from `toCallsId` remain valid. */
export type GivenIds = Map<string, OperationId | 'sending'>

export function createWalletCalls(givenIds: GivenIds): { readonly [method: string]: ProviderMethod } {
  return {
    wallet_sendCalls: (context, params, method) => sendCalls(givenIds, context, params, method),
    wallet_getCallsStatus: (context, params) => getCallsStatus(context, findOperation(givenIds, params[0]), params[0]),
    wallet_showCallsStatus: async ({ options }, params) => {
      findOperation(givenIds, params[0])
      if (!options.showCallsStatus) throw new ProviderRpcError('unsupportedMethod', 'This wallet has no status page.')
      await options.showCallsStatus(String(params[0]))
      return null
    },
    wallet_getCapabilities: getCapabilities,
  }
}

async function sendCalls(
  givenIds: GivenIds,
  context: ProviderContext,
  params: readonly unknown[],
  method: string,
): Promise<{ id: string; capabilities: object }> {
  const client = await requireClient(context)
  const fields = readFields(params[0], 'The first parameter')
  if (fields.version !== version) throw invalidParams(`\`version\` must be "${version}".`)
  if (fields.from !== undefined) requireAccount(client, readAddressParam(fields.from, '`from`'))
  requireChain(context, client, readChainId(fields.chainId))
  const calls = readCalls(fields.calls)
  const { paymasterService } = readCapabilities(fields.capabilities)
  const given = readGivenId(fields.id)
  if (given !== undefined && (givenIds.has(given) || readCallsId(given))) {
    throw new ProviderRpcError('duplicateId', 'Calls with this id were already sent.')
  }
  if (givenIds.size >= maxGivenIds) throw new ProviderRpcError('limitExceeded', 'This page has chosen too many ids.')
  if (given !== undefined) givenIds.set(given, 'sending')
  try {
    await confirm(context, client, method, params)
    const sender = paymasterService ? withPaymasterService(client, paymasterService) : client
    const { hash } = await sender.sendUserOperation({ uo: calls })
    const operation = { chainId: client.chain.id, hash }
    if (given !== undefined) givenIds.set(given, operation)
    return { id: given ?? toCallsId(operation), capabilities: {} }
  } catch (error) {
    if (given !== undefined) givenIds.delete(given)
    throw error
  }
}

function requireChain({ wallet }: ProviderContext, client: SmartAccountClient, chainId: number): void {
  if (chainId === client.chain.id) return
  const isKnown = wallet.chainIds().includes(chainId)
  const advice = isKnown
    ? 'Switch to it first, with wallet_switchEthereumChain.'
    : 'The wallet does not have this chain.'
  throw new ProviderRpcError('unsupportedChain', `The calls are for chain ${chainId}. ${advice}`)
}

function readCalls(value: unknown): CallInput[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidParams('`calls` must be a list of at least one call.')
  if (value.length > maxCalls) throw new ProviderRpcError('bundleTooLarge', `Send ${maxCalls} calls at most.`)
  return value.map((item) => {
    const fields = readFields(item, 'Each call')
    // Capabilities of single calls are not supported, so each must be optional.
    readCapabilities(fields.capabilities, [])
    const { to, data, value } = readCall(fields)
    return { target: to, data, value }
  })
}

/** Throws 5700 for an unsupported capability that is not optional. */
function readCapabilities(
  value: unknown,
  supported: readonly string[] = ['atomic', 'paymasterService'],
): { paymasterService?: PaymasterService | undefined } {
  if (value === undefined) return {}
  const found = readFields(value, '`capabilities`')
  for (const [name, capability] of Object.entries(found)) {
    const isOptional =
      typeof capability === 'object' && (capability as { optional?: unknown } | null)?.optional === true
    if (supported.includes(name) || isOptional) continue
    throw new ProviderRpcError('unsupportedCapability', `The wallet has no capability "${name}".`)
  }
  if (!supported.includes('paymasterService') || found.paymasterService === undefined) return {}
  return { paymasterService: readPaymasterService(found.paymasterService) }
}

function readGivenId(value: unknown): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && value.length > 0 && value.length <= maxIdLength) return value
  throw invalidParams(`\`id\` must be text of at most ${maxIdLength} characters.`)
}

function findOperation(givenIds: GivenIds, id: unknown): OperationId | 'sending' {
  const found = typeof id === 'string' ? (givenIds.get(id) ?? readCallsId(id)) : undefined
  if (found) return found
  throw unknownBundle()
}

function unknownBundle(): ProviderRpcError {
  return new ProviderRpcError('unknownBundle', 'No calls of this id are known to the wallet.')
}

const action = 'Could not read the status of the calls.'

async function getCallsStatus({ wallet }: ProviderContext, operation: OperationId | 'sending', id: unknown) {
  if (operation === 'sending')
    return { version, id, chainId: numberToHex(wallet.chain().id), status: callsStatus.pending, atomic: true }
  const { chainId, hash } = operation
  const reader = wallet.reader(chainId)
  if (!reader) throw unknownBundle()
  const common = { version, id, chainId: numberToHex(chainId), atomic: true }
  const reply = await rpc(reader, { method: 'eth_getUserOperationReceipt', params: [hash], action })
  if (reply === null || reply === undefined) {
    await requireKnown(reader, hash)
    return { ...common, status: callsStatus.pending }
  }
  const found = readOwnReceipt(reply, hash, action)
  const receipt = toCallsReceipt(found, readObject(found.receipt, action))
  const status = receipt.status === '0x1' ? callsStatus.confirmed : callsStatus.reverted
  return { ...common, status, receipts: [receipt] }
}

async function requireKnown(reader: RpcClient, hash: Hex): Promise<void> {
  const found = await rpc(reader, { method: 'eth_getUserOperationByHash', params: [hash], action })
  if (found === null || found === undefined) throw unknownBundle()
}

/** Handles `wallet_getCapabilities` with `[address, chain ids?]`. */
const getCapabilities: ProviderMethod = async (context, params) => {
  const client = await requireClient(context)
  requireAccount(client, readAddressParam(params[0] ?? client.account.address, 'The first parameter'))
  const { wallet } = context
  const wanted = Array.isArray(params[1]) ? params[1].map(readChainId) : wallet.chainIds()
  const known = wallet.chainIds().filter((chainId) => wanted.includes(chainId))
  const capabilities = { atomic: { status: 'supported' }, paymasterService: { supported: true } }
  return Object.fromEntries(known.map((chainId) => [numberToHex(chainId), capabilities]))
}
