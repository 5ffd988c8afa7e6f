import { decodeErrorResult, type Hex, isHex, parseAbi } from 'viem'

/** What the Solidity compiler itself reverts with, what tokens do (ERC-6093 and plainer names), and accounts. */
const abi = /* @__PURE__ */ parseAbi([
  'error Error(string message)',
  'error Panic(uint256 code)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)',
  'error InsufficientBalance(address owner, uint256 balance, uint256 needed)',
  'error InsufficientAllowance(address owner, address spender, uint256 allowance, uint256 needed)',
  'error InvalidOwner(address owner)',
  'error NotAuthorized(address caller)',
])

/** Revert data as a sentence: the text of `Error(string)`, a named error with its values, else the data itself. */
export function decodeRevertReason(data: string | undefined): string | undefined {
  if (!data || data === '0x') return undefined
  if (!isHex(data)) return data
  return decode(data) ?? `unknown error ${data}`
}

function decode(data: Hex): string | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi, data })
    return errorName === 'Error' ? args[0] : `${errorName}(${args.join(', ')})`
  } catch {
    return undefined
  }
}
