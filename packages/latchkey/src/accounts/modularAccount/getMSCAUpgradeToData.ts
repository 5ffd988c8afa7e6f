import {
  type Address,
  type Client,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
} from 'viem'
import { requireChain } from '../../core/arguments.ts'
import { getModularAccountContracts } from '../../core/chains/accountContracts.ts'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { getPluginManifest, hashManifest } from '../plugins/pluginManifest.ts'
import { callView } from '../reads/callView.ts'
import type { LatchkeyAccount, ReadClient } from '../types.ts'
import { encodeOwners, modularAccountAbi, modularAccountFactoryAbi } from './encoding.ts'
import { toModularAccount } from './toModularAccount.ts'

export declare namespace getMSCAUpgradeToData {
  type Parameters = {
    /** LightAccount of EntryPoint 0.6 to upgrade. Its signer becomes the only owner. */
    account: LatchkeyAccount
    /** @default the chain's plugin */
    multiOwnerPluginAddress?: Address | undefined
  }
  type ReturnType = {
    implAddress: Address
    /** Call that initializes the new implementation for the current owner. */
    initializationData: Hex
    /** Creates the account object for use after the upgrade, with the same address. */
    createMAAccount(): Promise<toModularAccount.ReturnType>
  }
}

/**
 * Returns the parameters of `upgradeAccount` that upgrade a LightAccount to a modular account.
 *
 * @throws `PLUGIN_NOT_FOUND`, `FACTORY_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `UPGRADE_UNSUPPORTED`, `CHAIN_NOT_FOUND`,
 * `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getMSCAUpgradeToData, upgradeAccount } from 'latchkey/accounts'
 * import { account, client, publicClient } from './config.ts'
 *
 * const { createMAAccount, ...upgradeTo } = await getMSCAUpgradeToData(publicClient, { account })
 * await upgradeAccount(client, { upgradeTo, waitForTx: true })
 * export const modularAccount = await createMAAccount()
 * ```
 */
export async function getMSCAUpgradeToData(
  client: Client,
  { account, multiOwnerPluginAddress }: getMSCAUpgradeToData.Parameters,
): Promise<getMSCAUpgradeToData.ReturnType> {
  if (account.entryPointVersion !== '0.6.0' || account.source !== 'LightAccount') throw unsupportedAccountError(account)
  const plugin = requirePlugin(client, multiOwnerPluginAddress)
  const signer = account.getSigner()
  const [implAddress, manifest, owner, initCode] = await Promise.all([
    readImplementation(client),
    getPluginManifest(client, { pluginAddress: plugin }),
    signer.getAddress(),
    account.getFactoryInitCode(),
  ])
  const pluginInitData = encodeAbiParameters(
    [{ type: 'bytes32[]' }, { type: 'bytes[]' }],
    [[hashManifest(manifest)], [encodeOwners([owner])]],
  )
  const initialize = { abi: modularAccountAbi, functionName: 'initialize' } as const
  return {
    implAddress,
    initializationData: encodeFunctionData({ ...initialize, args: [[plugin], pluginInitData] }),
    createMAAccount: () =>
      toModularAccount({
        // The account's client has a chain, because `toLightAccount` requires one.
        client: account.client as ReadClient,
        owner: signer,
        accountAddress: account.address,
        initCode,
        multiOwnerPluginAddress: plugin,
      }),
  }
}

async function readImplementation(client: Client): Promise<Address> {
  const chain = requireChain(client)
  const factory = getModularAccountContracts(chain)?.factory
  const call = { abi: modularAccountFactoryAbi, functionName: 'IMPL' } as const
  const action = 'Could not read the implementation of modular accounts.'
  const data = factory && (await callView({ client, address: factory, data: encodeFunctionData(call), action }))
  if (data) return decodeFunctionResult({ ...call, data })
  throw new BaseError(`There is no factory of MultiOwnerModularAccount on chain ${chain.name}.`, {
    code: 'FACTORY_NOT_FOUND',
    metaMessages: ['Name it in the chain: `custom.latchkey.modularAccount`.'],
  })
}

function requirePlugin(client: Client, address: Address | undefined): Address {
  try {
    return getPluginAddress({ name: 'MultiOwnerPlugin', chain: client.chain, address })
  } catch (cause) {
    throw new BaseError('could not get multi owner plugin address', {
      code: 'PLUGIN_NOT_FOUND',
      metaMessages: ['Pass `multiOwnerPluginAddress`, or name it in the chain: `custom.latchkey.plugins`.'],
      cause,
    })
  }
}

function unsupportedAccountError({ source, version, entryPointVersion }: LatchkeyAccount): BaseError {
  const isOtherEntryPoint = entryPointVersion !== '0.6.0'
  return new BaseError(`${source} ${version} cannot become a modular account.`, {
    code: isOtherEntryPoint ? 'ENTRY_POINT_NOT_FOUND' : 'UPGRADE_UNSUPPORTED',
    metaMessages: isOtherEntryPoint
      ? [`It works with EntryPoint ${entryPointVersion}, a modular account with 0.6.0.`]
      : ['Pass a LightAccount of v1.0.1, v1.0.2 or v1.1.0.'],
  })
}
