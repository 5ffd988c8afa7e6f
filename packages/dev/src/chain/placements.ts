import { type Address, keccak256, type PublicClient } from 'viem'
import { DevError } from '../errors.ts'
import { devAccountOf } from './devAccounts.ts'
import { devAddresses } from './devAddresses.ts'

export type Placement = {
  /** Name of the artifact; packages/contracts/build.mjs hands it over. */
  contract: string
  address: Address
  /** Of its constructor; where they follow from contracts placed before, how to find them. */
  args: readonly unknown[] | ((read: PublicClient) => Promise<readonly unknown[]>)
}

const { entryPoints, lightAccount, multiOwnerLightAccount, modularAccount, plugins, demo } = devAddresses
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
  { contract: 'UpgradeableModularAccount', address: modularAccount.implementation, args: [entryPoint06] },
  { contract: 'MultiOwnerPlugin', address: plugins.MultiOwnerPlugin, args: [] },
  { contract: 'SessionKeyPlugin', address: plugins.SessionKeyPlugin, args: [] },
  {
    contract: 'MultiOwnerModularAccountFactory',
    address: modularAccount.factory,
    args: async (read) => {
      const plugin = plugins.MultiOwnerPlugin
      return [owner, plugin, modularAccount.implementation, await manifestHashOf(read, plugin), entryPoint06]
    },
  },
  { contract: 'Demo', address: demo, args: [] },
]

/** As an account computes it: over the bytes that pluginManifest() answers (ERC-6900). */
async function manifestHashOf(read: PublicClient, plugin: Address) {
  const { data } = await read.call({ to: plugin, data: '0xc7763130' })
  if (!data) throw new DevError(`The plugin ${plugin} has no manifest.`, { code: 'CONTRACT_REVERTED' })
  return keccak256(data)
}
