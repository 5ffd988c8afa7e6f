export { defineLatchkeyChain } from '../core/chains/defineLatchkeyChain.ts'
export { getEntryPointAddress } from '../core/chains/getEntryPointAddress.ts'
export { getLightAccountContracts } from '../core/chains/getLightAccountContracts.ts'
export { getPaymasterAddress } from '../core/chains/getPaymasterAddress.ts'
export { getRpcUrl } from '../core/chains/getRpcUrl.ts'
export { latchkeyDev } from '../core/chains/latchkeyDev.ts'
export { latchkeyDevChain } from '../core/chains/latchkeyDevChain.ts'
export { retiredChainIds, supportedChainIds } from '../core/chains/supportedChainIds.ts'
export type {
  AccountContracts,
  ChainContracts,
  EntryPointVersion,
  LatchkeyChain,
  LightAccountVersion,
} from '../core/chains/types.ts'
