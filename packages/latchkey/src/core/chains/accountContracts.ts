import { accountFactories } from 'latchkey-protocol'
import type { Chain } from 'viem'
import { getChainContracts } from './defineLatchkeyChain.ts'
import { isKnownChain, retiredChainIds } from './supportedChainIds.ts'
import type { AccountContracts, LightAccountVersion, MultiOwnerLightAccountVersion } from './types.ts'

/** Contracts at the same addresses on every known chain, except `missingOn`. */
export type Deployment = AccountContracts & { missingOn: readonly number[] }

const lightAccounts: { readonly [version in LightAccountVersion]: Deployment } = {
  'v1.0.1': {
    factory: accountFactories['LightAccountV1.0.1'],
    implementation: '0xc1B2fC4197c9187853243E6e4eb5A4aF8879a1c0',
    missingOn: [80002, 252, 2523, 7777777, 999999999, 11155420, 421614, 84532],
  },
  'v1.0.2': {
    factory: accountFactories['LightAccountV1.0.2'],
    implementation: '0x5467b1947F47d0646704EB801E075e72aeAe8113',
    missingOn: [80002, 252, 2523, 7777777, 999999999],
  },
  'v1.1.0': {
    factory: accountFactories['LightAccountV1.1.0'],
    implementation: '0xae8c656ad28F2B59a196AB61815C16A0AE1c3cba',
    missingOn: [5, 84531],
  },
  'v2.0.0': {
    factory: accountFactories['LightAccountV2.0.0'],
    implementation: '0x8E8e658E22B12ada97B402fF0b044D6A325013C7',
    missingOn: retiredChainIds,
  },
}

const multiOwnerLightAccounts: { readonly [version in MultiOwnerLightAccountVersion]: Deployment } = {
  'v2.0.0': {
    factory: accountFactories['LightAccountV2.0.0-MultiOwner'],
    implementation: '0xd2c27F9eE8E4355f71915ffD5568cB3433b6823D',
    missingOn: retiredChainIds,
  },
}

const modularAccount: Deployment = {
  factory: accountFactories['MAv1.0.0-MultiOwner'],
  implementation: '0x0046000000000151008789797b54fdb500E2a61e',
  missingOn: [421613, 84531],
}

export declare namespace getLightAccountContracts {
  type Parameters = {
    version: LightAccountVersion
    /** Chain to look up. @default public chains' addresses */
    chain?: Chain | undefined
  }
  type ReturnType = AccountContracts | undefined
}

/**
 * Returns the factory and implementation of a LightAccount version: those of the chain object, otherwise those of the
 * table. Returns undefined if the table's contracts are not deployed on the chain.
 *
 * @example
 * ```ts
 * import { getLightAccountContracts, sepolia } from 'latchkey/chains'
 *
 * const contracts = getLightAccountContracts({ version: 'v2.0.0', chain: sepolia })
 * console.log(contracts?.factory)
 * ```
 */
export function getLightAccountContracts({
  version,
  chain,
}: getLightAccountContracts.Parameters): getLightAccountContracts.ReturnType {
  return getChainContracts(chain).lightAccount?.[version] ?? getDeployed(lightAccounts[version], chain)
}

export declare namespace getMultiOwnerLightAccountContracts {
  type Parameters = {
    version: MultiOwnerLightAccountVersion
    /** Chain to look up. @default public chains' addresses */
    chain?: Chain | undefined
  }
  type ReturnType = AccountContracts | undefined
}

/**
 * Returns the factory and implementation of a MultiOwnerLightAccount version: those of the chain object, otherwise
 * those of the table. Returns undefined if the table's contracts are not deployed on the chain.
 *
 * @example
 * ```ts
 * import { getMultiOwnerLightAccountContracts, sepolia } from 'latchkey/chains'
 *
 * const contracts = getMultiOwnerLightAccountContracts({ version: 'v2.0.0', chain: sepolia })
 * console.log(contracts?.factory)
 * ```
 */
export function getMultiOwnerLightAccountContracts({
  version,
  chain,
}: getMultiOwnerLightAccountContracts.Parameters): getMultiOwnerLightAccountContracts.ReturnType {
  return (
    getChainContracts(chain).multiOwnerLightAccount?.[version] ?? getDeployed(multiOwnerLightAccounts[version], chain)
  )
}

/** Returns the contracts of MultiOwnerModularAccount, like `getLightAccountContracts`. */
export function getModularAccountContracts(chain?: Chain | undefined): AccountContracts | undefined {
  return getChainContracts(chain).modularAccount ?? getDeployed(modularAccount, chain)
}

export function getDeployed(
  deployment: Deployment | undefined,
  chain: Chain | undefined,
): AccountContracts | undefined {
  if (!deployment || (chain && (!isKnownChain(chain.id) || deployment.missingOn.includes(chain.id)))) return undefined
  const { factory, implementation } = deployment
  return { factory, implementation }
}
