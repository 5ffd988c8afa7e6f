import {
  type Address,
  decodeErrorResult,
  decodeFunctionData,
  formatEther,
  formatUnits,
  type Hex,
  isAddressEqual,
  parseAbi,
} from 'viem'
import type { Upstream } from '../rpc/createUpstream.ts'
import { parseResult, quantity } from '../rpc/values.ts'
import { readTokens, tokenCalls } from './readTokens.ts'
import { simulateCalls } from './simulateCalls.ts'
import type { SimulatedOutcome } from './types.ts'

export declare namespace explainFailure {
  type Parameters = {
    node: Upstream
    block: string
    operation: { sender: Address; callData: Hex }
    /** Outcomes of the account's deployment, if needed, and of its call. */
    outcomes: readonly SimulatedOutcome[]
    isCreated: boolean
  }
}

/**
 * Explains why a simulated operation fails, or returns undefined. Uses the entry point's messages for failures that the
 * entry point would refuse (ERC-4337), and the contract's messages for all others.
 */
export async function explainFailure(parameters: explainFailure.Parameters): Promise<string | undefined> {
  const { operation, outcomes, isCreated } = parameters
  const [creation] = outcomes
  if (isCreated && creation) {
    if (!creation.success) return `AA13 initCode failed: ${describeRevert(creation.returnData)}`
    const created = creation.returnData.slice(26, 66)
    if (created.toLowerCase() !== operation.sender.slice(2).toLowerCase()) return 'AA14 initCode must return sender'
  }
  const call = outcomes.at(-1)
  if (call?.success) return undefined
  const data = call?.returnData ?? '0x'
  if (data === '0x') return `${describeRevert(data)}${await explainLackOfFunds(parameters)}`
  return (await explainLackOfTokens(parameters, data)) ?? describeRevert(data)
}

/** Explains a revert without a reason, whose most likely cause is an insufficient balance. */
async function explainLackOfFunds({ node, operation, block }: explainFailure.Parameters): Promise<string> {
  const sent = sumSentValue(operation.callData)
  if (sent === 0n) return ''
  const result = await node.call('eth_getBalance', [operation.sender, block])
  const balance = BigInt(parseResult(quantity, result, 'a balance'))
  return balance < sent ? `: the account has ${formatEther(balance)} ether and sends ${formatEther(sent)} ether` : ''
}

/** Maximum number of called contracts that are checked for the token. */
const maxTargets = 20

/**
 * Explains a token's refusal, with amounts in units of the token. Returns undefined for other errors, and for an
 * operation that does not call exactly one token.
 */
async function explainLackOfTokens(
  { node, block, operation: { sender, callData } }: explainFailure.Parameters,
  data: Hex,
): Promise<string | undefined> {
  const lack = readLack(data)
  const targets = [...new Set(readCalls(callData).map(({ to }) => to))].slice(0, maxTargets)
  if (!lack || targets.length === 0) return undefined
  const outcomes = await simulateCalls({ node, calls: tokenCalls(targets, sender), block }).catch(() => [])
  const [token, other] = [...readTokens(targets, outcomes).values()].filter(({ decimals }) => decimals !== undefined)
  if (!token || other) return undefined
  const amount = (value: bigint) => `${formatUnits(value, token.decimals ?? 0)} ${token.symbol}`.trim()
  const who = lack.of && isAddressEqual(lack.of, sender) ? 'the account' : (lack.of ?? 'the sender')
  return `execution reverted: ${who} ${lack.verb} ${amount(lack.has)}, and the call needs ${amount(lack.needs)}`
}

/** Reads the balance or allowance, and the required amount, from a token's error. */
function readLack(data: Hex): { of: Address | undefined; verb: string; has: bigint; needs: bigint } | undefined {
  const error = decodeKnown(data)
  switch (error?.errorName) {
    case 'InsufficientBalance':
    case 'ERC20InsufficientBalance':
      return { of: error.args[0], verb: 'has', has: error.args[1], needs: error.args[2] }
    case 'ERC20InsufficientAllowance':
      return { of: error.args[0], verb: 'may spend', has: error.args[1], needs: error.args[2] }
    case 'InsufficientAllowance':
      return { of: error.args[1], verb: 'may spend', has: error.args[2], needs: error.args[3] }
    default:
      return undefined
  }
}

const executeAbi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
])

/** Sums the wei that an account's own calls send; zero for calldata of another form. */
export function sumSentValue(callData: Hex): bigint {
  return readCalls(callData).reduce((sum, { value }) => sum + value, 0n)
}

function readCalls(callData: Hex): { to: Address; value: bigint }[] {
  try {
    const { functionName, args } = decodeFunctionData({ abi: executeAbi, data: callData })
    if (functionName === 'execute') return [{ to: args[0], value: args[1] }]
    if (args.length === 1) return args[0].map(({ target, value }) => ({ to: target, value }))
    return args[0].map((to, index) => ({ to, value: args[1][index] ?? 0n }))
  } catch {
    return []
  }
}

/** Errors of accounts and of the token standards (ERC-6093), which explain most failures. */
const knownErrors = parseAbi([
  'error Error(string message)',
  'error Panic(uint256 code)',
  'error ArrayLengthMismatch()',
  'error InvalidOwner(address owner)',
  'error NotAuthorized(address caller)',
  'error InsufficientAllowance(address owner, address spender, uint256 allowance, uint256 needed)',
  'error InsufficientBalance(address owner, uint256 balance, uint256 needed)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InvalidSender(address sender)',
  'error ERC20InvalidReceiver(address receiver)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error ERC20InvalidApprover(address approver)',
  'error ERC20InvalidSpender(address spender)',
  'error ERC721InvalidOwner(address owner)',
  'error ERC721NonexistentToken(uint256 tokenId)',
  'error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)',
  'error ERC721InvalidSender(address sender)',
  'error ERC721InvalidReceiver(address receiver)',
  'error ERC721InsufficientApproval(address operator, uint256 tokenId)',
  'error ERC721InvalidApprover(address approver)',
  'error ERC721InvalidOperator(address operator)',
  'error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)',
  'error ERC1155InvalidReceiver(address receiver)',
  'error ERC1155MissingApprovalForAll(address operator, address owner)',
])
const maxLength = 500

/** Describes revert data: its reason, its error with arguments, or the bytes. */
export function describeRevert(data: Hex): string {
  if (data === '0x') return 'execution reverted'
  return `execution reverted: ${readError(data).slice(0, maxLength)}`
}

function readError(data: Hex): string {
  const error = decodeKnown(data)
  if (!error) return data
  const { errorName, args = [] } = error
  return errorName === 'Error' ? String(args[0]) : `${errorName}(${args.join(', ')})`
}

function decodeKnown(data: Hex) {
  try {
    return decodeErrorResult({ abi: knownErrors, data })
  } catch {
    return undefined
  }
}
