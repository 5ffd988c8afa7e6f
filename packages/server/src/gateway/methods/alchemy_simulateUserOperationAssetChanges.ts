import { type AssetChange, errorCodes, type SimulateAssetChangesResult } from 'latchkey/wire'
import { type Address, formatUnits, type Hex, size, slice } from 'viem'
import { entryPoint06Address, entryPoint07Address } from 'viem/account-abstraction'
import { z } from 'zod'
import { address, bytes, quantity } from '../paymasters/quantities.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { parseAnswer } from '../rpc/parseAnswer.ts'
import { parseParams } from '../rpc/parseParams.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import type { UpstreamError } from '../rpc/UpstreamError.ts'
import { describeRevert } from '../simulation/describeRevert.ts'
import { type Movement, readMovements } from '../simulation/readMovements.ts'
import { readTokens, type Token, tokenCalls } from '../simulation/readTokens.ts'
import { sentValue } from '../simulation/sentValue.ts'
import { type SimulatedCall, type SimulatedOutcome, simulateCalls } from '../simulation/simulateCalls.ts'

const operationSchema = z.object({
  sender: address,
  callData: bytes,
  /** Entry point 0.6: factory ‖ calldata. */
  initCode: bytes.default('0x'),
  /** Entry point 0.7. */
  factory: address.optional(),
  factoryData: bytes.default('0x'),
})
const paramsSchema = z.union([
  z.tuple([operationSchema, address]),
  z.tuple([operationSchema, address, z.union([quantity, z.enum(['latest', 'pending'])])]),
])

/** Tokens that are asked for their name; those beyond are listed by address alone. */
const maxTokens = 20

export declare namespace simulateUserOperationAssetChanges {
  type Context = { node: Upstream; nativeCurrency: NativeCurrency }
  type NativeCurrency = { name: string; symbol: string; decimals: number }
  type ReturnType = SimulateAssetChangesResult
  type ErrorType = RpcError | UpstreamError
}

/**
 * `alchemy_simulateUserOperationAssetChanges`: what the operation's call would move and allow, in order: the chain's
 * coin, ERC-20, ERC-721 and ERC-1155. An account that is not deployed is deployed first. Signature, nonce and fees do
 * not count. A call that would fail is no error of this method: it is told in `error`.
 *
 * Throws `REQUEST_INVALID`, `ENTRY_POINT_NOT_FOUND`; `METHOD_NOT_SUPPORTED` when the node has no `eth_simulateV1`.
 */
export async function simulateUserOperationAssetChanges(
  { node, nativeCurrency }: simulateUserOperationAssetChanges.Context,
  params: unknown,
): Promise<simulateUserOperationAssetChanges.ReturnType> {
  const [read, entryPoint, block = 'latest'] = parseParams(paramsSchema, params, 'params')
  requireEntryPoint(entryPoint)
  const operation = { ...read, sender: read.sender as Address, callData: read.callData as Hex }
  const creation = creationCall(read, entryPoint as Address)
  const call = { from: entryPoint as Address, to: operation.sender, data: operation.callData }
  const calls = creation ? [creation, call] : [call]
  const [outcomes, code] = await Promise.all([
    simulateCalls({ node, calls, block }),
    creation ? undefined : node.call('eth_getCode', [operation.sender, block]),
  ])
  if (code !== undefined && parseAnswer(bytes, code, 'a contract’s code') === '0x')
    return failed('AA20 account not deployed')
  const failure = failureOf(outcomes, creation && operation.sender)
  if (failure !== undefined) return failed(`${failure}${await lackOfFunds(node, operation, failure, block)}`)

  const movements = readMovements(outcomes.at(-1)?.logs ?? [])
  const contracts = movements.flatMap(({ contractAddress }) => contractAddress ?? [])
  const tokens = [...new Set(contracts)].slice(0, maxTokens)
  const known = await askTokens({ node, calls, block, tokens })
  return { changes: movements.map((movement) => toChange(movement, known, nativeCurrency)) }
}

function requireEntryPoint(entryPoint: string): void {
  const known = [entryPoint06Address, entryPoint07Address]
  if (known.some((candidate) => candidate.toLowerCase() === entryPoint.toLowerCase())) return
  throw new RpcError(`The entry point ${entryPoint} is not known here. Use one of: ${known.join(', ')}.`, {
    code: errorCodes.ENTRY_POINT_NOT_FOUND,
    rpcCode: rpcCodes.invalidParams,
  })
}

function creationCall(
  { initCode, factory, factoryData }: z.output<typeof operationSchema>,
  from: Address,
): SimulatedCall | undefined {
  if (factory !== undefined) return { from, to: factory as Address, data: factoryData as Hex }
  if (size(initCode as Hex) < 20) return undefined
  const data = size(initCode as Hex) === 20 ? '0x' : slice(initCode as Hex, 20)
  return { from, to: slice(initCode as Hex, 0, 20), data }
}

/** In the words of the entry point for what it would refuse (ERC-4337), else in the contract's. */
function failureOf(outcomes: readonly SimulatedOutcome[], created: Address | undefined): string | undefined {
  const [creation] = outcomes
  if (created && creation) {
    if (!creation.success) return `AA13 initCode failed: ${describeRevert(creation.returnData)}`
    const answered = creation.returnData.slice(26, 66)
    if (answered.toLowerCase() !== created.slice(2).toLowerCase()) return 'AA14 initCode must return sender'
  }
  const call = outcomes.at(-1)
  return call?.success ? undefined : describeRevert(call?.returnData ?? '0x')
}

/** Sending more than there is reverts without a word, and is the most likely reason for that. */
async function lackOfFunds(
  node: Upstream,
  { sender, callData }: { sender: Address; callData: Hex },
  failure: string,
  block: string,
): Promise<string> {
  const sent = sentValue(callData)
  if (sent === 0n || failure !== describeRevert('0x')) return ''
  const balance = BigInt(parseAnswer(quantity, await node.call('eth_getBalance', [sender, block]), 'a balance'))
  return balance < sent ? `: the account has ${balance} wei and sends ${sent} wei` : ''
}

function failed(message: string): SimulateAssetChangesResult {
  return { changes: [], error: { message } }
}

type Question = { node: Upstream; calls: readonly SimulatedCall[]; block: string; tokens: readonly Address[] }

/** The tokens are asked after the operation: it may have made one. */
async function askTokens({ node, calls, block, tokens }: Question): Promise<Map<Address, Token>> {
  const from = calls[0]?.from
  if (tokens.length === 0 || !from) return new Map()
  const outcomes = await simulateCalls({ node, calls: [...calls, ...tokenCalls(tokens, from)], block })
  return readTokens(tokens, outcomes.slice(calls.length))
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
  // What is counted in pieces has no places; of what is not, an amount in whole units needs to know them.
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
