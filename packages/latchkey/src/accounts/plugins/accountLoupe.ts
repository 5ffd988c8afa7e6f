import { type Address, type Client, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { requireExactBytes } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount } from '../actions/OperationClient.ts'
import { callView, requireAccountAddress } from '../reads/callView.ts'
import type { ModularAccountParameter } from './callPlugin.ts'

/** Functions of a modular account that return its plugins (ERC-6900 v0.7, account loupe). */
export const loupeAbi = /* @__PURE__ */ parseAbi([
  'function getExecutionFunctionConfig(bytes4 selector) view returns ((address plugin, bytes21 userOpValidationFunction, bytes21 runtimeValidationFunction))',
  'function getExecutionHooks(bytes4 selector) view returns ((bytes21 preExecHook, bytes21 postExecHook)[])',
  'function getInstalledPlugins() view returns (address[])',
  'function getPreValidationHooks(bytes4 selector) view returns (bytes21[] preUserOpValidationHooks, bytes21[] preRuntimeValidationHooks)',
])

type SelectorParameter = {
  /** Selector of the account's function, 4 bytes. */
  selector: Hex
}

export declare namespace getExecutionFunctionConfig {
  type Parameters = ModularAccountParameter & SelectorParameter
  type ReturnType = {
    /** Plugin that implements the function. The account itself for its own functions; zero for an unknown function. */
    plugin: Address
    /** Reference of 21 bytes; see `decodeFunctionReference`. Zero if there is none. */
    userOpValidationFunction: Hex
    runtimeValidationFunction: Hex
  }
}

/**
 * Returns the plugin that implements a function of a modular account, and the functions that validate its callers
 * (ERC-6900 v0.7).
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ARGUMENT_INVALID`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getExecutionFunctionConfig } from 'latchkey/accounts'
 * import { modularAccount, publicClient } from './config.ts'
 *
 * const account = modularAccount.address
 * const { plugin } = await getExecutionFunctionConfig(publicClient, { account, selector: '0xb61d27f6' })
 * console.log(plugin)
 * ```
 */
export async function getExecutionFunctionConfig(
  client: Client,
  { selector, account }: getExecutionFunctionConfig.Parameters,
): Promise<getExecutionFunctionConfig.ReturnType> {
  const call = { abi: loupeAbi, functionName: 'getExecutionFunctionConfig' } as const
  const args = [requireSelector(selector)] as const
  const data = await callLoupe(client, { account, data: encodeFunctionData({ ...call, args }) })
  return decodeFunctionResult({ ...call, data })
}

export declare namespace getExecutionHooks {
  type Parameters = ModularAccountParameter & SelectorParameter
  /** 21 bytes each; see `decodeFunctionReference`. */
  type ReturnType = readonly { preExecHook: Hex; postExecHook: Hex }[]
}

/**
 * Returns the hooks that run before and after a function of a modular account (ERC-6900 v0.7).
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ARGUMENT_INVALID`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getExecutionHooks } from 'latchkey/accounts'
 * import { modularAccount, publicClient } from './config.ts'
 *
 * const account = modularAccount.address
 * const hooks = await getExecutionHooks(publicClient, { account, selector: '0xb61d27f6' })
 * console.log(hooks.length)
 * ```
 */
export async function getExecutionHooks(
  client: Client,
  { selector, account }: getExecutionHooks.Parameters,
): Promise<getExecutionHooks.ReturnType> {
  const call = { abi: loupeAbi, functionName: 'getExecutionHooks' } as const
  const args = [requireSelector(selector)] as const
  const data = await callLoupe(client, { account, data: encodeFunctionData({ ...call, args }) })
  return decodeFunctionResult({ ...call, data })
}

export declare namespace getPreValidationHooks {
  type Parameters = ModularAccountParameter & SelectorParameter
  /** 21 bytes each; see `decodeFunctionReference`. */
  type ReturnType = { preUserOpValidationHooks: readonly Hex[]; preRuntimeValidationHooks: readonly Hex[] }
}

/**
 * Returns the hooks that run before the validation of calls to a modular account's function (ERC-6900 v0.7).
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ARGUMENT_INVALID`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getPreValidationHooks } from 'latchkey/accounts'
 * import { modularAccount, publicClient } from './config.ts'
 *
 * const account = modularAccount.address
 * const hooks = await getPreValidationHooks(publicClient, { account, selector: '0xb61d27f6' })
 * console.log(hooks.preUserOpValidationHooks)
 * ```
 */
export async function getPreValidationHooks(
  client: Client,
  { selector, account }: getPreValidationHooks.Parameters,
): Promise<getPreValidationHooks.ReturnType> {
  const call = { abi: loupeAbi, functionName: 'getPreValidationHooks' } as const
  const args = [requireSelector(selector)] as const
  const data = await callLoupe(client, { account, data: encodeFunctionData({ ...call, args }) })
  const [preUserOpValidationHooks, preRuntimeValidationHooks] = decodeFunctionResult({ ...call, data })
  return { preUserOpValidationHooks, preRuntimeValidationHooks }
}

export declare namespace getInstalledPlugins {
  type Parameters = ModularAccountParameter
  type ReturnType = readonly Address[]
}

/**
 * Returns the plugins that are installed on a modular account (ERC-6900 v0.7). Returns an empty list before the
 * deployment and after any failure.
 *
 * @example
 * ```ts
 * import { getInstalledPlugins } from 'latchkey/accounts'
 * import { modularAccount, publicClient } from './config.ts'
 *
 * const plugins = await getInstalledPlugins(publicClient, { account: modularAccount.address })
 * console.log(plugins)
 * ```
 */
export async function getInstalledPlugins(
  client: Client,
  { account }: getInstalledPlugins.Parameters = {},
): Promise<getInstalledPlugins.ReturnType> {
  const call = { abi: loupeAbi, functionName: 'getInstalledPlugins' } as const
  try {
    const data = await callLoupe(client, { account, data: encodeFunctionData(call) })
    return decodeFunctionResult({ ...call, data })
  } catch {
    return []
  }
}

export type AccountLoupeActions = {
  getExecutionFunctionConfig(parameters: SelectorParameter): Promise<getExecutionFunctionConfig.ReturnType>
  getExecutionHooks(parameters: SelectorParameter): Promise<getExecutionHooks.ReturnType>
  getInstalledPlugins(): Promise<getInstalledPlugins.ReturnType>
  getPreValidationHooks(parameters: SelectorParameter): Promise<getPreValidationHooks.ReturnType>
}

/**
 * Returns the functions of this module as methods, for `client.extend`.
 *
 * @example
 * ```ts
 * import { accountLoupeActions } from 'latchkey/accounts'
 * import { createBundlerClient } from 'viem/account-abstraction'
 * import { bundlerTransport, modularAccount, publicClient } from './config.ts'
 *
 * const bundler = createBundlerClient({ account: modularAccount, client: publicClient, transport: bundlerTransport })
 * const plugins = await bundler.extend(accountLoupeActions).getInstalledPlugins()
 * console.log(plugins)
 * ```
 */
export function accountLoupeActions(client: OperationClient): AccountLoupeActions {
  return {
    getExecutionFunctionConfig: async ({ selector }) => {
      const { client: reader, address } = requireAccount(client, {}, 'getExecutionFunctionConfig')
      return getExecutionFunctionConfig(reader, { account: address, selector })
    },
    getExecutionHooks: async ({ selector }) => {
      const { client: reader, address } = requireAccount(client, {}, 'getExecutionHooks')
      return getExecutionHooks(reader, { account: address, selector })
    },
    getInstalledPlugins: async () => {
      const { client: reader, address } = requireAccount(client, {}, 'getInstalledPlugins')
      return getInstalledPlugins(reader, { account: address })
    },
    getPreValidationHooks: async ({ selector }) => {
      const { client: reader, address } = requireAccount(client, {}, 'getPreValidationHooks')
      return getPreValidationHooks(reader, { account: address, selector })
    },
  }
}

function requireSelector(selector: Hex): Hex {
  return requireExactBytes('The selector', selector, 4)
}

async function callLoupe(client: Client, { account, data }: ModularAccountParameter & { data: Hex }): Promise<Hex> {
  const address = requireAccountAddress(client, account)
  const result = await callView({ client, address, data, action: 'Could not read the plugins of the account.' })
  if (result) return result
  throw new BaseError(`There is no modular account at ${address}.`, {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: ['It is on the chain once its first operation has deployed it.'],
  })
}
