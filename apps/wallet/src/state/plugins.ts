import { useQuery } from '@tanstack/react-query'
import { getInstalledPlugins, getPluginAddress, getPluginMetadata } from 'latchkey/accounts'
import { useBundlerClient } from 'latchkey/react'
import { type Address, isAddressEqual } from 'viem'

export type Plugin = { address: Address; name: string; version: string; isOwnerPlugin: boolean }

/** Returns the installed plugins of a modular account. Before the deployment there are none. */
export function usePlugins(account: Address, isDeployed: boolean) {
  const reader = useBundlerClient()
  const ownerPlugin = getPluginAddress({ name: 'MultiOwnerPlugin', chain: reader.chain })
  return useQuery({
    queryKey: ['account', 'plugins', reader.chain.id, account, isDeployed],
    queryFn: async (): Promise<readonly Plugin[]> => {
      const addresses = await getInstalledPlugins(reader, { account })
      return Promise.all(
        addresses.map(async (address) => {
          const { name, version } = await getPluginMetadata(reader, { pluginAddress: address })
          return { address, name, version, isOwnerPlugin: isAddressEqual(address, ownerPlugin) }
        }),
      )
    },
  })
}
