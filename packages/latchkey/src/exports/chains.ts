export { defineLatchkeyChain } from '../core/chains/defineLatchkeyChain.ts'
export { getEntryPointAddress } from '../core/chains/getEntryPointAddress.ts'
export { getLightAccountContracts } from '../core/chains/getLightAccountContracts.ts'
export { getMultiOwnerLightAccountContracts } from '../core/chains/getMultiOwnerLightAccountContracts.ts'
export { getPaymasterAddress } from '../core/chains/getPaymasterAddress.ts'
export { getRpcUrl } from '../core/chains/getRpcUrl.ts'
export { latchkeyDev } from '../core/chains/latchkeyDev.ts'
export { latchkeyDevChain } from '../core/chains/latchkeyDevChain.ts'
export {
  arbitrum,
  arbitrumGoerli,
  arbitrumSepolia,
  base,
  baseGoerli,
  baseSepolia,
  fraxtal,
  fraxtalSepolia,
  goerli,
  mainnet,
  optimism,
  optimismGoerli,
  optimismSepolia,
  polygon,
  polygonAmoy,
  polygonMumbai,
  retiredChains,
  sepolia,
  supportedChains,
  zora,
  zoraSepolia,
} from '../core/chains/publicChains.ts'
export { retiredChainIds, supportedChainIds } from '../core/chains/supportedChainIds.ts'
export type {
  AccountContracts,
  ChainContracts,
  EntryPointVersion,
  LatchkeyChain,
  LightAccountVersion,
  MultiOwnerLightAccountVersion,
} from '../core/chains/types.ts'
