import type { Address, Chain } from 'viem'
import { hostedRpcBase } from './getRpcUrl.ts'
import type { LatchkeyChain } from './types.ts'

// Defined here because importing `viem/chains` makes every bundler report `node:` modules.

export const mainnet: LatchkeyChain = /* @__PURE__ */ network({
  id: 1,
  name: 'Ethereum',
  node: 'https://ethereum.reth.rs/rpc',
  explorer: ['Etherscan', 'https://etherscan.io'],
  multicall3Block: 14_353_601,
  ens: ['0xeeeeeeee14d718c2b47d9923deab1335e144eeee', 23_085_558],
  blockTime: 12_000,
})
export const sepolia: LatchkeyChain = /* @__PURE__ */ network({
  id: 11_155_111,
  name: 'Sepolia',
  currency: ['Sepolia Ether', 'ETH'],
  node: 'https://11155111.rpc.thirdweb.com',
  explorer: ['Etherscan', 'https://sepolia.etherscan.io'],
  multicall3Block: 751_532,
  ens: ['0xeeeeeeee14d718c2b47d9923deab1335e144eeee', 8_928_790],
  testnet: true,
})
export const polygon: LatchkeyChain = /* @__PURE__ */ network({
  id: 137,
  name: 'Polygon',
  currency: ['POL', 'POL'],
  node: 'https://polygon.drpc.org',
  explorer: ['PolygonScan', 'https://polygonscan.com'],
  multicall3Block: 25_770_160,
  blockTime: 2000,
})
export const polygonAmoy: LatchkeyChain = /* @__PURE__ */ network({
  id: 80_002,
  name: 'Polygon Amoy',
  currency: ['POL', 'POL'],
  node: 'https://polygon-amoy.drpc.org',
  explorer: ['PolygonScan', 'https://amoy.polygonscan.com'],
  multicall3Block: 3_127_388,
  testnet: true,
})
export const optimism: LatchkeyChain = /* @__PURE__ */ network({
  id: 10,
  name: 'OP Mainnet',
  node: 'https://mainnet.optimism.io',
  explorer: ['Optimism Explorer', 'https://optimistic.etherscan.io'],
  multicall3Block: 4_286_263,
  blockTime: 2000,
  sourceId: 1,
})
export const optimismSepolia: LatchkeyChain = /* @__PURE__ */ network({
  id: 11_155_420,
  name: 'OP Sepolia',
  currency: ['Sepolia Ether', 'ETH'],
  node: 'https://sepolia.optimism.io',
  explorer: ['Blockscout', 'https://optimism-sepolia.blockscout.com'],
  multicall3Block: 1_620_204,
  blockTime: 2000,
  sourceId: 11_155_111,
  testnet: true,
})
export const arbitrum: LatchkeyChain = /* @__PURE__ */ network({
  id: 42_161,
  name: 'Arbitrum One',
  node: 'https://arb1.arbitrum.io/rpc',
  explorer: ['Arbiscan', 'https://arbiscan.io'],
  multicall3Block: 7_654_707,
  blockTime: 250,
})
export const arbitrumSepolia: LatchkeyChain = /* @__PURE__ */ network({
  id: 421_614,
  name: 'Arbitrum Sepolia',
  currency: ['Arbitrum Sepolia Ether', 'ETH'],
  node: 'https://sepolia-rollup.arbitrum.io/rpc',
  explorer: ['Arbiscan', 'https://sepolia.arbiscan.io'],
  multicall3Block: 81_930,
  blockTime: 250,
  testnet: true,
})
export const base: LatchkeyChain = /* @__PURE__ */ network({
  id: 8453,
  name: 'Base',
  node: 'https://mainnet.base.org',
  explorer: ['Basescan', 'https://basescan.org'],
  multicall3Block: 5022,
  blockTime: 2000,
  sourceId: 1,
})
export const baseSepolia: LatchkeyChain = /* @__PURE__ */ network({
  id: 84_532,
  name: 'Base Sepolia',
  currency: ['Sepolia Ether', 'ETH'],
  node: 'https://sepolia.base.org',
  explorer: ['Basescan', 'https://sepolia.basescan.org'],
  multicall3Block: 1_059_647,
  blockTime: 2000,
  sourceId: 11_155_111,
  testnet: true,
})
export const fraxtal: LatchkeyChain = /* @__PURE__ */ network({
  id: 252,
  name: 'Fraxtal',
  currency: ['Frax', 'FRAX'],
  node: 'https://rpc.frax.com',
  explorer: ['fraxscan', 'https://fraxscan.com'],
  multicall3Block: 0,
  blockTime: 2000,
  sourceId: 1,
})
export const fraxtalSepolia: LatchkeyChain = /* @__PURE__ */ network({
  id: 2523,
  name: 'Fraxtal Sepolia',
  currency: ['Frax Ether', 'frxETH'],
  node: 'https://rpc.testnet-sepolia.frax.com',
  testnet: true,
})
export const zora: LatchkeyChain = /* @__PURE__ */ network({
  id: 7_777_777,
  name: 'Zora',
  node: 'https://rpc.zora.energy',
  explorer: ['Explorer', 'https://explorer.zora.energy'],
  multicall3Block: 5882,
  blockTime: 2000,
  sourceId: 1,
})
export const zoraSepolia: LatchkeyChain = /* @__PURE__ */ network({
  id: 999_999_999,
  name: 'Zora Sepolia',
  currency: ['Zora Sepolia', 'ETH'],
  node: 'https://sepolia.rpc.zora.energy',
  explorer: ['Zora Sepolia Explorer', 'https://sepolia.explorer.zora.energy/'],
  multicall3Block: 83_160,
  blockTime: 2000,
  sourceId: 11_155_111,
  testnet: true,
})

/** Retired networks, defined so that apps can read old data. `supportedChains` does not include them. */
export const goerli: LatchkeyChain = /* @__PURE__ */ network({
  id: 5,
  name: 'Goerli',
  currency: ['Goerli Ether', 'ETH'],
  node: 'https://5.rpc.thirdweb.com',
  explorer: ['Etherscan', 'https://goerli.etherscan.io'],
  multicall3Block: 6_507_670,
  testnet: true,
  retired: true,
})
export const polygonMumbai: LatchkeyChain = /* @__PURE__ */ network({
  id: 80_001,
  name: 'Polygon Mumbai',
  currency: ['MATIC', 'MATIC'],
  node: 'https://80001.rpc.thirdweb.com',
  explorer: ['PolygonScan', 'https://mumbai.polygonscan.com'],
  multicall3Block: 25_770_160,
  testnet: true,
  retired: true,
})
export const optimismGoerli: LatchkeyChain = /* @__PURE__ */ network({
  id: 420,
  name: 'Optimism Goerli',
  currency: ['Goerli Ether', 'ETH'],
  node: 'https://goerli.optimism.io',
  explorer: ['Etherscan', 'https://goerli-optimism.etherscan.io'],
  multicall3Block: 49_461,
  blockTime: 2000,
  sourceId: 5,
  testnet: true,
  retired: true,
})
export const arbitrumGoerli: LatchkeyChain = /* @__PURE__ */ network({
  id: 421_613,
  name: 'Arbitrum Goerli',
  currency: ['Arbitrum Goerli Ether', 'ETH'],
  node: 'https://goerli-rollup.arbitrum.io/rpc',
  explorer: ['Arbiscan', 'https://goerli.arbiscan.io'],
  multicall3Block: 88_114,
  testnet: true,
  retired: true,
})
export const baseGoerli: LatchkeyChain = /* @__PURE__ */ network({
  id: 84_531,
  name: 'Base Goerli',
  currency: ['Goerli Ether', 'ETH'],
  node: 'https://goerli.base.org',
  explorer: ['Basescan', 'https://goerli.basescan.org'],
  multicall3Block: 1_376_988,
  blockTime: 2000,
  sourceId: 5,
  testnet: true,
  retired: true,
})

/** Chains on which accounts can be used. */
export const supportedChains: readonly LatchkeyChain[] = [
  mainnet,
  sepolia,
  polygon,
  polygonAmoy,
  optimism,
  optimismSepolia,
  arbitrum,
  arbitrumSepolia,
  base,
  baseSepolia,
  fraxtal,
  fraxtalSepolia,
  zora,
  zoraSepolia,
]

export const retiredChains: readonly LatchkeyChain[] = [
  goerli,
  polygonMumbai,
  optimismGoerli,
  arbitrumGoerli,
  baseGoerli,
]

type Network = Pick<Chain, 'id' | 'name' | 'blockTime' | 'sourceId' | 'testnet'> & {
  /** URL of a public node of the network. */
  node: string
  /** Name and symbol; 18 decimals. @default ether */
  currency?: readonly [name: string, symbol: string] | undefined
  explorer?: readonly [name: string, url: string] | undefined
  /** First block with Multicall3 at its standard address; 0 if unknown. */
  multicall3Block?: number | undefined
  /** ENS universal resolver and its first block. */
  ens?: readonly [address: Address, block: number] | undefined
  /** Whether the network is retired. */
  retired?: true
}

function network(parameters: Network): LatchkeyChain {
  const { node, currency = ['Ether', 'ETH'], explorer, multicall3Block, ens, retired, ...chain } = parameters
  const [name, symbol] = currency
  const hosted = hostedRpcBase(chain.id)
  const contracts = {
    ...(multicall3Block !== undefined && {
      multicall3: at('0xca11bde05977b3631167028862be2a173976ca11', multicall3Block),
    }),
    ...(ens && { ensUniversalResolver: at(...ens) }),
  }
  return {
    ...chain,
    nativeCurrency: { name, symbol, decimals: 18 },
    rpcUrls: { default: { http: [node] }, ...(hosted && { alchemy: { http: [hosted] } }) },
    ...(explorer && { blockExplorers: { default: { name: explorer[0], url: explorer[1] } } }),
    contracts,
    custom: { latchkey: retired ? { retired } : {} },
  }
}

function at(address: Address, block: number) {
  return block === 0 ? { address } : { address, blockCreated: block }
}
