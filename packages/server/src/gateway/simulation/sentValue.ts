import { decodeFunctionData, type Hex, parseAbi } from 'viem'

const abi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
])

/** Wei that an account's own calls send along; zero for calldata of another form. */
export function sentValue(callData: Hex): bigint {
  try {
    const { functionName, args } = decodeFunctionData({ abi, data: callData })
    return functionName === 'execute' ? args[1] : args[1].reduce((sum, value) => sum + value, 0n)
  } catch {
    return 0n
  }
}
