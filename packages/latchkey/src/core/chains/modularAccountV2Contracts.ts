import { accountFactories } from 'latchkey-protocol'
import type { Chain } from 'viem'
import { type Deployment, getDeployed } from './accountContracts.ts'
import { getChainContracts } from './defineLatchkeyChain.ts'
import { retiredChainIds } from './supportedChainIds.ts'
import type { AccountContracts, ModularAccountV2FactoryMode } from './types.ts'

// In a separate module, so that only pages with a Modular Account v2 load these addresses.

const modularAccountsV2: { readonly [mode in ModularAccountV2FactoryMode]: Deployment } = {
  default: {
    factory: accountFactories['MAv2.0.0-sma-b'],
    implementation: '0x000000000000c5A9089039570Dd36455b5C07383',
    missingOn: retiredChainIds,
  },
  'single-signer': {
    factory: accountFactories['MAv2.0.0-ma-ssv'],
    implementation: '0x00000000000002377B26b1EdA7b0BC371C60DD4f',
    missingOn: retiredChainIds,
  },
  webauthn: {
    factory: '0x55010E571dCf07e254994bfc88b9C1C8FAe31960',
    implementation: '0x00000000000002377B26b1EdA7b0BC371C60DD4f',
    missingOn: retiredChainIds,
  },
}

/** Returns the contracts of a Modular Account v2, like `getLightAccountContracts`. */
export function getModularAccountV2Contracts({
  mode,
  chain,
}: {
  mode: ModularAccountV2FactoryMode
  chain?: Chain | undefined
}): AccountContracts | undefined {
  return getChainContracts(chain).modularAccountV2?.[mode] ?? getDeployed(modularAccountsV2[mode], chain)
}
