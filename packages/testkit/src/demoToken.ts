import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { devAddresses } from '../../dev/src/chain/devAddresses.ts'

/** ERC-20 token of every dev chain, which anyone may mint. */
export const demo: Address = devAddresses.demo

export const demoAbi = parseAbi([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
  'error InsufficientBalance(address owner, uint256 balance, uint256 needed)',
])

export const mint = (to: Address, value: bigint): { to: Address; data: Hex } => ({
  to: demo,
  data: encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [to, value] }),
})
