import { parseAbi } from 'viem'

/** DEMO: an ERC-20 of the local chain, 18 decimals, anybody may mint. */
export const demoAbi = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function mint(address to, uint256 amount)',
  'function transfer(address to, uint256 amount) returns (bool)',
])
