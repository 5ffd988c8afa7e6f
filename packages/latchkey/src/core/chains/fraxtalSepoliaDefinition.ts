import type { Chain } from 'viem'

/** viem knows only the test network that came before it. */
export const fraxtalSepoliaDefinition: Chain = {
  id: 2523,
  name: 'Fraxtal Sepolia',
  nativeCurrency: { name: 'Frax Ether', symbol: 'frxETH', decimals: 18 },
  rpcUrls: { default: { http: ['https://rpc.testnet-sepolia.frax.com'] } },
  testnet: true,
}
