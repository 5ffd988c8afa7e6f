import { decodeErrorResult, type Hex, parseAbi } from 'viem'

/** Errors of accounts and of the token standards (ERC-6093), by which most calls fail. */
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

/** What a contract reverted with, in words: its reason, its error with arguments, or the bytes. */
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
