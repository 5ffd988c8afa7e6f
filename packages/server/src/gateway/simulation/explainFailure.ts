import { type Address, decodeErrorResult, decodeFunctionData, formatEther, type Hex, parseAbi } from 'viem'
import type { Upstream } from '../rpc/createUpstream.ts'
import { parseResult, quantity } from '../rpc/values.ts'
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
 * entry point would refuse (ERC-4337), otherwise the contract's.
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
  const reason = describeRevert(call?.returnData ?? '0x')
  return `${reason}${reason === describeRevert('0x') ? await explainLackOfFunds(parameters) : ''}`
}

/** Explains a revert without a reason, which an insufficient balance most likely causes. */
async function explainLackOfFunds({ node, operation, block }: explainFailure.Parameters): Promise<string> {
  const sent = sumSentValue(operation.callData)
  if (sent === 0n) return ''
  const result = await node.call('eth_getBalance', [operation.sender, block])
  const balance = BigInt(parseResult(quantity, result, 'a balance'))
  return balance < sent ? `: the account has ${formatEther(balance)} ether and sends ${formatEther(sent)} ether` : ''
}

const executeAbi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
])

/** Sums the wei that an account's own calls send; zero for calldata of another form. */
export function sumSentValue(callData: Hex): bigint {
  try {
    const { functionName, args } = decodeFunctionData({ abi: executeAbi, data: callData })
    return functionName === 'execute' ? args[1] : args[1].reduce((sum, value) => sum + value, 0n)
  } catch {
    return 0n
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
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: knownErrors, data })
    return errorName === 'Error' ? String(args[0]) : `${errorName}(${args.join(', ')})`
  } catch {
    return data
  }
}
