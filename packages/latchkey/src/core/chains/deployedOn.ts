import type { Chain } from 'viem'
import { isKnownChain } from './supportedChainIds.ts'
import type { AccountContracts } from './types.ts'

/** Contracts that are at the same addresses on every chain of the list but some. */
export type Deployment = AccountContracts & { missingOn: readonly number[] }

/** Which version of a contract, and where. */
export type VersionOn<version extends string> = {
  version: version
  /** Without a chain the well-known addresses are given. */
  chain?: Chain | undefined
}

/** The addresses, unless the chain is one where nothing is known to be at them. Without a chain they are given. */
export function deployedOn(chain: Chain | undefined, deployment: Deployment | undefined): AccountContracts | undefined {
  if (!deployment || (chain && (!isKnownChain(chain.id) || deployment.missingOn.includes(chain.id)))) return undefined
  const { factory, implementation } = deployment
  return { factory, implementation }
}
