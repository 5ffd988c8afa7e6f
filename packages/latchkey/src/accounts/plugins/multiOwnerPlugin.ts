import { type Address, type Client, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../actions/OperationClient.ts'
import { sendCallData } from '../actions/sendCallData.ts'
import { encodeUpdateOwners } from '../actions/updateOwners.ts'
import { listOwners } from '../listOwners.ts'
import { encodeOwners } from '../modularAccount/encoding.ts'
import { requireAccountAddress } from '../reads/callView.ts'
import { callPlugin, type ModularAccountParameter, type PluginAddressParameter } from './callPlugin.ts'
import { installPlugin } from './installPlugin.ts'

/**
 * Owner functions of MultiOwnerPlugin 1.0.0. Functions without an `account` argument are called on the account itself.
 */
export const multiOwnerPluginAbi = /* @__PURE__ */ parseAbi([
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'function isOwnerOf(address account, address ownerToCheck) view returns (bool)',
  'function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)',
  'function ownersOf(address account) view returns (address[])',
  'function updateOwners(address[] ownersToAdd, address[] ownersToRemove)',
])

export declare namespace installMultiOwnerPlugin {
  type Parameters = SendOptions &
    PluginAddressParameter & {
      /** Owners in any order and letter case. Duplicates and the zero address are ignored. */
      args: readonly [owners: readonly Address[]]
      /** @default the hash of the plugin's current manifest */
      manifestHash?: Hex | undefined
    }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Installs the MultiOwnerPlugin on a modular account that does not have it.
 *
 * @throws `PLUGIN_NOT_FOUND`, `OWNERS_INVALID`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`,
 * `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { installMultiOwnerPlugin } from 'latchkey/accounts'
 * import { modularClient, owner } from './config.ts'
 *
 * const hash = await installMultiOwnerPlugin(modularClient, { args: [[owner.address]] })
 * console.log(hash)
 * ```
 */
export async function installMultiOwnerPlugin(
  client: OperationClient,
  { args: [owners], pluginAddress, ...options }: installMultiOwnerPlugin.Parameters,
): Promise<installMultiOwnerPlugin.ReturnType> {
  const { chain } = requireAccount(client, options, 'installMultiOwnerPlugin').client
  return installPlugin(client, {
    ...options,
    pluginAddress: getPluginAddress({ name: 'MultiOwnerPlugin', chain, address: pluginAddress }),
    pluginInitData: encodeOwners(listOwners(owners)),
  })
}

export declare namespace updatePluginOwners {
  type Parameters = SendOptions & {
    /** Owners to add, and owners to remove. */
    args: readonly [ownersToAdd: readonly Address[], ownersToRemove: readonly Address[]]
  }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Changes the owners of a modular account. Its MultiOwnerPlugin refuses to remove all owners (`EmptyOwnersNotAllowed`),
 * to remove an address that is not an owner (`OwnerDoesNotExist`), and to add an existing owner (`InvalidOwner`).
 *
 * @throws `OWNERS_INVALID`, `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { updatePluginOwners } from 'latchkey/accounts'
 * import { modularClient } from './config.ts'
 *
 * const added = '0x1111111111111111111111111111111111111111'
 * const hash = await updatePluginOwners(modularClient, { args: [[added], []], waitForTxn: true })
 * console.log(hash)
 * ```
 */
export async function updatePluginOwners(
  client: OperationClient,
  { args: [ownersToAdd, ownersToRemove], ...options }: updatePluginOwners.Parameters,
): Promise<updatePluginOwners.ReturnType> {
  const account = requireAccount(client, options, 'updateOwners')
  return sendCallData(client, { ...options, account, callData: encodeUpdateOwners({ ownersToAdd, ownersToRemove }) })
}

export declare namespace ownersOf {
  type Parameters = ModularAccountParameter & PluginAddressParameter
  /** EIP-55 addresses. Empty if the account does not have the MultiOwnerPlugin or is not deployed. */
  type ReturnType = readonly Address[]
}

/**
 * Reads the owners of a modular account from its MultiOwnerPlugin.
 *
 * @throws `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { ownersOf } from 'latchkey/accounts'
 * import { modularAccount, publicClient } from './config.ts'
 *
 * const owners = await ownersOf(publicClient, { account: modularAccount.address })
 * console.log(owners)
 * ```
 */
export async function ownersOf(client: Client, parameters: ownersOf.Parameters = {}): Promise<ownersOf.ReturnType> {
  const args = [requireAccountAddress(client, parameters.account)] as const
  const call = { abi: multiOwnerPluginAbi, functionName: 'ownersOf' } as const
  const data = await callPlugin(client, 'MultiOwnerPlugin', {
    ...parameters,
    data: encodeFunctionData({ ...call, args }),
  })
  return data ? decodeFunctionResult({ ...call, data }) : []
}

export declare namespace isOwnerOf {
  type Parameters = ModularAccountParameter &
    PluginAddressParameter & {
      /** Address to check. */
      address: Address
    }
  type ReturnType = boolean
}

/**
 * Checks whether an address is an owner of a modular account.
 *
 * @throws `PLUGIN_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { isOwnerOf } from 'latchkey/accounts'
 * import { modularAccount, owner, publicClient } from './config.ts'
 *
 * const isOwner = await isOwnerOf(publicClient, { account: modularAccount.address, address: owner.address })
 * console.log(isOwner)
 * ```
 */
export async function isOwnerOf(client: Client, parameters: isOwnerOf.Parameters): Promise<isOwnerOf.ReturnType> {
  const args = [requireAccountAddress(client, parameters.account), requireAddress(parameters.address)] as const
  const call = { abi: multiOwnerPluginAbi, functionName: 'isOwnerOf' } as const
  const data = await callPlugin(client, 'MultiOwnerPlugin', {
    ...parameters,
    data: encodeFunctionData({ ...call, args }),
  })
  return data ? decodeFunctionResult({ ...call, data }) : false
}
