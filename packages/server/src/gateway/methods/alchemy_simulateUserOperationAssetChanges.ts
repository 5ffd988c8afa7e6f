import type { AssetChange, SimulateAssetChangesResult } from 'latchkey-protocol'
import { type Address, formatUnits, type Hex, numberToHex, size, slice } from 'viem'
import { z } from 'zod'
import { callGas } from '../gatewayLimits.ts'
import { requireEntryPoint } from '../paymasters/schemes.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import type { RpcError, UpstreamError } from '../rpc/RpcError.ts'
import { address, bytes, parseParams, parseResult, quantity } from '../rpc/values.ts'
import { explainFailure } from '../simulation/explainFailure.ts'
import { balanceCalls, correctAmounts } from '../simulation/readBalances.ts'
import { type Movement, readMovements } from '../simulation/readMovements.ts'
import { readTokens, type Token, tokenCalls } from '../simulation/readTokens.ts'
import { simulateCalls } from '../simulation/simulateCalls.ts'
import type { SimulatedCall } from '../simulation/types.ts'

const operationSchema = z.object({
  sender: address,
  callData: bytes,
  /** Entry point 0.6: factory ‖ calldata. */
  initCode: bytes.default('0x'),
  /** Entry point 0.7. */
  factory: address.optional(),
  factoryData: bytes.default('0x'),
})
export const paramsSchema = z.union([
  z.tuple([operationSchema, address]),
  z.tuple([operationSchema, address, z.union([quantity, z.enum(['latest', 'pending'])])]),
])

/** Maximum number of tokens whose metadata is read; others are listed by address only. */
const maxTokens = 20

export declare namespace simulateUserOperationAssetChanges {
  /** `maxCallGas`: gas limit of one simulation. */
  type Context = { node: Upstream; nativeCurrency: NativeCurrency; maxCallGas: bigint }
  type NativeCurrency = { name: string; symbol: string; decimals: number }
  type ReturnType = SimulateAssetChangesResult
  type ErrorType = RpcError | UpstreamError
}

/**
 * Serves `alchemy_simulateUserOperationAssetChanges`. Returns the transfers and approvals of the operation's call, in
 * order: the native coin, ERC-20, ERC-721 and ERC-1155. First deploys an account that is not deployed. Ignores
 * signature, nonce and fees. If the call would fail, the result contains an `error` instead of this method failing.
 *
 * @throws `REQUEST_INVALID`, `ENTRY_POINT_NOT_FOUND`, `METHOD_NOT_SUPPORTED` when the node cannot simulate.
 */
export async function simulateUserOperationAssetChanges(
  { node, nativeCurrency, maxCallGas }: simulateUserOperationAssetChanges.Context,
  params: unknown,
): Promise<simulateUserOperationAssetChanges.ReturnType> {
  const [read, entryPoint, block = 'latest'] = parseParams(paramsSchema, params, 'params')
  requireEntryPoint(entryPoint)
  const operation = { ...read, sender: read.sender as Address, callData: read.callData as Hex }
  // Uses the default gas of a call, so that the run and its token queries stay within the scheduled gas.
  const gas = numberToHex(callGas(undefined, maxCallGas))
  const creation = toCreationCall(read, entryPoint as Address, gas)
  const call = { from: entryPoint as Address, to: operation.sender, data: operation.callData, gas }
  const calls = creation ? [creation, call] : [call]
  const [outcomes, code] = await Promise.all([
    simulateCalls({ node, calls, block }),
    creation ? undefined : node.call('eth_getCode', [operation.sender, block]),
  ])
  if (code !== undefined && parseResult(bytes, code, 'a contract’s code') === '0x')
    return failed('AA20 account not deployed')
  const failure = await explainFailure({ node, block, operation, outcomes, isCreated: creation !== undefined })
  if (failure !== undefined) return failed(failure)

  const movements = readMovements(outcomes.at(-1)?.logs ?? [])
  const seen = await askTokens({ node, calls, block, movements, account: operation.sender })
  return { changes: seen.movements.map((movement) => toChange(movement, seen.tokens, nativeCurrency)) }
}

function toCreationCall(
  { initCode, factory, factoryData }: z.output<typeof operationSchema>,
  from: Address,
  gas: Hex,
): SimulatedCall | undefined {
  if (factory !== undefined) return { from, to: factory as Address, data: factoryData as Hex, gas }
  if (size(initCode as Hex) < 20) return undefined
  const data = size(initCode as Hex) === 20 ? '0x' : slice(initCode as Hex, 20)
  return { from, to: slice(initCode as Hex, 0, 20), data, gas }
}

function failed(message: string): SimulateAssetChangesResult {
  return { changes: [], error: { message } }
}

type Query = {
  node: Upstream
  calls: readonly SimulatedCall[]
  block: string
  movements: readonly Movement[]
  account: Address
}

/**
 * Queries tokens after the operation, which may create a token, and the account's balances before and after the
 * operation.
 */
async function askTokens({ node, calls, block, movements, account }: Query) {
  const contracts = movements.flatMap(({ contractAddress }) => contractAddress ?? [])
  const tokens = [...new Set(contracts)].slice(0, maxTokens)
  const from = calls[0]?.from
  if (tokens.length === 0 || !from) return { movements, tokens: new Map<Address, Token>() }
  const balances = balanceCalls(tokens, account, from)
  const queries = tokenCalls(tokens, from)
  const outcomes = await simulateCalls({ node, calls: [...balances, ...calls, ...balances, ...queries], block })
  const before = outcomes.slice(0, tokens.length)
  const [after, described] = [outcomes.slice(tokens.length + calls.length), outcomes.slice(-queries.length)]
  return {
    movements: correctAmounts({ movements, account, tokens, before, after }),
    tokens: readTokens(tokens, described),
  }
}

function toChange(
  { amount, assetType, contractAddress, ...movement }: Movement,
  tokens: ReadonlyMap<Address, Token>,
  nativeCurrency: simulateUserOperationAssetChanges.NativeCurrency,
): AssetChange {
  const token = contractAddress ? tokens.get(contractAddress) : undefined
  const type = assetType ?? token?.collection ?? 'ERC721'
  const { symbol, name, decimals } = contractAddress
    ? { symbol: '', name: undefined, decimals: undefined, ...token }
    : nativeCurrency
  // Amounts of NFTs are whole items. Other amounts cannot be formatted without the token's decimals.
  const places = type === 'ERC721' || type === 'ERC1155' ? 0 : decimals
  return {
    assetType: type,
    ...movement,
    ...(amount === undefined ? {} : { rawAmount: amount.toString() }),
    ...(amount === undefined || places === undefined ? {} : { amount: formatUnits(amount, places) }),
    contractAddress,
    decimals: places ?? 0,
    symbol,
    ...(name === undefined ? {} : { name }),
  }
}
