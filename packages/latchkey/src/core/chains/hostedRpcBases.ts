/** Provider preset: JSON-RPC bases of the hosted provider, by chain id. `/{apiKey}` is appended. */
export const hostedRpcBases: { readonly [chainId: number]: string } = {
  1: 'https://eth-mainnet.g.alchemy.com/v2',
  5: 'https://eth-goerli.g.alchemy.com/v2',
  10: 'https://opt-mainnet.g.alchemy.com/v2',
  137: 'https://polygon-mainnet.g.alchemy.com/v2',
  420: 'https://opt-goerli.g.alchemy.com/v2',
  8453: 'https://base-mainnet.g.alchemy.com/v2',
  42161: 'https://arb-mainnet.g.alchemy.com/v2',
  80001: 'https://polygon-mumbai.g.alchemy.com/v2',
  80002: 'https://polygon-amoy.g.alchemy.com/v2',
  84531: 'https://base-goerli.g.alchemy.com/v2',
  84532: 'https://base-sepolia.g.alchemy.com/v2',
  421613: 'https://arb-goerli.g.alchemy.com/v2',
  421614: 'https://arb-sepolia.g.alchemy.com/v2',
  11155111: 'https://eth-sepolia.g.alchemy.com/v2',
  11155420: 'https://opt-sepolia.g.alchemy.com/v2',
}
