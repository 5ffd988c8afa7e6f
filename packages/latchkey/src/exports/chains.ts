export { getLightAccountContracts, getMultiOwnerLightAccountContracts } from '../core/chains/accountContracts.ts'
export { defineLatchkeyChain } from '../core/chains/defineLatchkeyChain.ts'
export type { EntryPointVersion } from '../core/chains/entryPoints.ts'
export { getEntryPointAddress } from '../core/chains/getEntryPointAddress.ts'
export { getPaymasterAddress } from '../core/chains/getPaymasterAddress.ts'
export { getRpcUrl } from '../core/chains/getRpcUrl.ts'
export {
  defineLatchkeyDevChain,
  /** Earlier name of `defineLatchkeyDevChain`. */
  defineLatchkeyDevChain as latchkeyDevChain,
  latchkeyDev,
} from '../core/chains/latchkeyDev.ts'
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
  LatchkeyChain,
  LightAccountVersion,
  ModularAccountV2Mode,
  MultiOwnerLightAccountVersion,
} from '../core/chains/types.ts'
