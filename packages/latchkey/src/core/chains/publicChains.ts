import type { Chain } from 'viem'
import * as chains from 'viem/chains'
import { hostedRpcBases } from './getRpcUrl.ts'
import type { LatchkeyChain } from './types.ts'

export const mainnet: LatchkeyChain = /* @__PURE__ */ hosted(chains.mainnet)
export const sepolia: LatchkeyChain = /* @__PURE__ */ hosted(chains.sepolia)
export const polygon: LatchkeyChain = /* @__PURE__ */ hosted(chains.polygon)
export const polygonAmoy: LatchkeyChain = /* @__PURE__ */ hosted(chains.polygonAmoy)
export const optimism: LatchkeyChain = /* @__PURE__ */ hosted(chains.optimism)
export const optimismSepolia: LatchkeyChain = /* @__PURE__ */ hosted(chains.optimismSepolia)
export const arbitrum: LatchkeyChain = /* @__PURE__ */ hosted(chains.arbitrum)
export const arbitrumSepolia: LatchkeyChain = /* @__PURE__ */ hosted(chains.arbitrumSepolia)
export const base: LatchkeyChain = /* @__PURE__ */ hosted(chains.base)
export const baseSepolia: LatchkeyChain = /* @__PURE__ */ hosted(chains.baseSepolia)
export const fraxtal: LatchkeyChain = /* @__PURE__ */ hosted(chains.fraxtal)
export const fraxtalSepolia: LatchkeyChain = /* @__PURE__ */ hosted({
  // viem defines only the earlier test network.
  id: 2523,
  name: 'Fraxtal Sepolia',
  nativeCurrency: { name: 'Frax Ether', symbol: 'frxETH', decimals: 18 },
  rpcUrls: { default: { http: ['https://rpc.testnet-sepolia.frax.com'] } },
  testnet: true,
})
export const zora: LatchkeyChain = /* @__PURE__ */ hosted(chains.zora)
export const zoraSepolia: LatchkeyChain = /* @__PURE__ */ hosted(chains.zoraSepolia)

/** Networks that were switched off: defined so that old data can be read, and left out of `supportedChains`. */
export const goerli: LatchkeyChain = /* @__PURE__ */ hosted(chains.goerli, { retired: true })
export const polygonMumbai: LatchkeyChain = /* @__PURE__ */ hosted(chains.polygonMumbai, { retired: true })
export const optimismGoerli: LatchkeyChain = /* @__PURE__ */ hosted(chains.optimismGoerli, { retired: true })
export const arbitrumGoerli: LatchkeyChain = /* @__PURE__ */ hosted(chains.arbitrumGoerli, { retired: true })
export const baseGoerli: LatchkeyChain = /* @__PURE__ */ hosted(chains.baseGoerli, { retired: true })

/** Chains on which accounts can be used today. */
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

/** A public chain with the hosted provider's RPC base, if it has one there. `retired`: the network was switched off. */
function hosted(chain: Chain, { retired }: { retired?: true } = {}): LatchkeyChain {
  const base = hostedRpcBases[chain.id]
  return {
    ...chain,
    rpcUrls: base ? { ...chain.rpcUrls, alchemy: { http: [base] } } : chain.rpcUrls,
    custom: { ...chain.custom, latchkey: retired ? { retired } : {} },
  }
}
