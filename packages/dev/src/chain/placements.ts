import type { Address } from 'viem'
import { devAccountOf } from './devAccounts.ts'
import { devAddresses } from './devAddresses.ts'

export type Placement = {
  /** Name of the artifact; packages/contracts/build.mjs hands it over. */
  contract: string
  address: Address
  /** Of its constructor. */
  args: readonly unknown[]
}

const { entryPoints, lightAccount, multiOwnerLightAccount, demo } = devAddresses
const entryPoint06 = entryPoints['0.6.0']
const entryPoint07 = entryPoints['0.7.0']
/** Whoever owns the paymasters owns the factories, whose owner does nothing but stake. */
const owner = devAccountOf.paymasterOwner.address

/**
 * Our own contracts on the dev chain, in the order they are placed: one line each, behind those it calls. A light
 * account's factory creates the implementation, whose address follows from the factory's.
 */
export const placements: readonly Placement[] = [
  { contract: 'LightAccountFactoryV1_0_1', address: lightAccount['v1.0.1'].factory, args: [entryPoint06] },
  { contract: 'LightAccountFactoryV1_0_2', address: lightAccount['v1.0.2'].factory, args: [entryPoint06] },
  { contract: 'LightAccountFactoryV1_1_0', address: lightAccount['v1.1.0'].factory, args: [entryPoint06] },
  { contract: 'LightAccountFactoryV2', address: lightAccount['v2.0.0'].factory, args: [owner, entryPoint07] },
  {
    contract: 'MultiOwnerLightAccountFactory',
    address: multiOwnerLightAccount['v2.0.0'].factory,
    args: [owner, entryPoint07],
  },
  { contract: 'Demo', address: demo, args: [] },
]
