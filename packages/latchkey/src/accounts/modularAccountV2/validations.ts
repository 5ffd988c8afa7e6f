import { type Address, concat, encodeFunctionData, type Hex, numberToHex } from 'viem'
import { requireAddress, requireBytes, requireExactBytes } from '../../core/arguments.ts'
import type { OperationClient, SendOptions } from '../actions/OperationClient.ts'
import { callSelf } from '../actions/sendCallData.ts'
import { encodeEntityId, modularAccountV2Abi } from './encoding.ts'

/** Validation function of an account: a module, and the entity id under which the module stores its data. */
export type ValidationParameter = { moduleAddress: Address; entityId: number }

/** Encodes a validation function as 24 bytes: module and entity id. @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`. */
export function encodeValidation({ moduleAddress, entityId }: ValidationParameter): Hex {
  return concat([requireAddress(moduleAddress), encodeEntityId(entityId)])
}

export declare namespace installValidation {
  type Parameters = SendOptions & encodeInstallValidation.Parameters
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Installs a validation on a Modular Account v2: an additional key, the functions that it may call, and the hooks that
 * limit it. To create a validation from a list of permissions, use `grantPermissions`.
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { installValidation, modularAccountV2Modules } from 'latchkey/accounts'
 * import { encodeAbiParameters } from 'viem'
 * import { client } from './config.ts'
 *
 * const key = '0x1563915e194D8CfBA1943570603F7606A3115508'
 * const hash = await installValidation(client, {
 *   validationConfig: {
 *     moduleAddress: modularAccountV2Modules.singleSigner,
 *     entityId: 1,
 *     isUserOpValidation: true,
 *   },
 *   selectors: ['0xb61d27f6'],
 *   installData: encodeAbiParameters([{ type: 'uint32' }, { type: 'address' }], [1, key]),
 *   hooks: [],
 * })
 * console.log(hash)
 * ```
 */
export async function installValidation(
  client: OperationClient,
  { validationConfig, selectors, installData, hooks, ...options }: installValidation.Parameters,
): Promise<installValidation.ReturnType> {
  const data = encodeInstallValidation({ validationConfig, selectors, installData, hooks })
  return callSelf(client, { ...options, data }, 'installValidation')
}

export declare namespace encodeInstallValidation {
  type Parameters = {
    validationConfig: ValidationParameter & {
      /** Whether the validation verifies user operations. @default false */
      isUserOpValidation?: boolean | undefined
      /** Whether the validation verifies signatures for apps (ERC-1271). @default false */
      isSignatureValidation?: boolean | undefined
      /** Whether the validation may call every function that allows global validation. @default false */
      isGlobal?: boolean | undefined
    }
    /** Functions of the account that the validation may call, 4 bytes each. */
    selectors: readonly Hex[]
    /** Data for the module's `onInstall`. */
    installData: Hex
    hooks: readonly Hook[]
  }
  type Hook = {
    hookConfig: ValidationParameter & {
      /** Whether the hook runs before the validation, or before and after the call. */
      hookType: 'Validation' | 'Execution'
      /** Whether the hook runs before the call. Ignored for a validation hook. @default false */
      hasPreHooks?: boolean | undefined
      /** Whether the hook runs after the call. Ignored for a validation hook. @default false */
      hasPostHooks?: boolean | undefined
    }
    /** Data for the hook's `onInstall`. */
    initData: Hex
  }
  type ReturnType = Hex
}

/**
 * Encodes the call data of a Modular Account v2 that installs a validation (ERC-6900 v0.8).
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { encodeInstallValidation, modularAccountV2Modules } from 'latchkey/accounts'
 * import { encodeAbiParameters } from 'viem'
 *
 * const key = '0x1563915e194D8CfBA1943570603F7606A3115508'
 * const moduleAddress = modularAccountV2Modules.singleSigner
 * const callData = encodeInstallValidation({
 *   validationConfig: { moduleAddress, entityId: 1, isUserOpValidation: true },
 *   selectors: ['0xb61d27f6'],
 *   installData: encodeAbiParameters([{ type: 'uint32' }, { type: 'address' }], [1, key]),
 *   hooks: [],
 * })
 * console.log(callData)
 * ```
 */
export function encodeInstallValidation(
  parameters: encodeInstallValidation.Parameters,
): encodeInstallValidation.ReturnType {
  const { validationConfig, selectors, installData, hooks } = parameters
  const { isUserOpValidation, isSignatureValidation, isGlobal } = validationConfig
  const flags = toFlags([isUserOpValidation, isSignatureValidation, isGlobal])
  return encodeFunctionData({
    abi: modularAccountV2Abi,
    functionName: 'installValidation',
    args: [
      concat([encodeValidation(validationConfig), flags]),
      selectors.map((selector) => requireExactBytes('A selector', selector, 4)),
      requireBytes('What a module is told on installation', installData),
      hooks.map(encodeHook),
    ],
  })
}

function encodeHook({ hookConfig, initData }: encodeInstallValidation.Hook): Hex {
  const { hookType, hasPreHooks, hasPostHooks } = hookConfig
  const flags = toFlags([hookType === 'Validation', hasPostHooks, hasPreHooks])
  return concat([encodeValidation(hookConfig), flags, requireBytes('What a hook is told on installation', initData)])
}

/** Encodes flags as one byte, lowest bit first. */
function toFlags(flags: readonly (boolean | undefined)[]): Hex {
  return numberToHex(
    flags.reduce((sum, flag, index) => sum | (Number(flag === true) << index), 0),
    { size: 1 },
  )
}

export declare namespace uninstallValidation {
  type Parameters = SendOptions & encodeUninstallValidation.Parameters
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Uninstalls a validation of a Modular Account v2, so that its key can no longer act.
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { modularAccountV2Modules, uninstallValidation } from 'latchkey/accounts'
 * import { encodeAbiParameters } from 'viem'
 * import { client } from './config.ts'
 *
 * const hash = await uninstallValidation(client, {
 *   moduleAddress: modularAccountV2Modules.singleSigner,
 *   entityId: 1,
 *   uninstallData: encodeAbiParameters([{ type: 'uint32' }], [1]),
 *   hookUninstallDatas: [],
 * })
 * console.log(hash)
 * ```
 */
export async function uninstallValidation(
  client: OperationClient,
  { moduleAddress, entityId, uninstallData, hookUninstallDatas, ...options }: uninstallValidation.Parameters,
): Promise<uninstallValidation.ReturnType> {
  const data = encodeUninstallValidation({ moduleAddress, entityId, uninstallData, hookUninstallDatas })
  return callSelf(client, { ...options, data }, 'uninstallValidation')
}

export declare namespace encodeUninstallValidation {
  type Parameters = ValidationParameter & {
    /** Data for the module's `onUninstall`. */
    uninstallData: Hex
    /**
     * Data for the `onUninstall` of each hook, validation hooks first. Without this data, the hooks keep their
     * counters.
     */
    hookUninstallDatas: readonly Hex[]
  }
  type ReturnType = Hex
}

/**
 * Encodes the call data of a Modular Account v2 that uninstalls a validation (ERC-6900 v0.8).
 *
 * @throws `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { encodeUninstallValidation, modularAccountV2Modules } from 'latchkey/accounts'
 * import { encodeAbiParameters } from 'viem'
 *
 * const callData = encodeUninstallValidation({
 *   moduleAddress: modularAccountV2Modules.singleSigner,
 *   entityId: 1,
 *   uninstallData: encodeAbiParameters([{ type: 'uint32' }], [1]),
 *   hookUninstallDatas: [],
 * })
 * console.log(callData)
 * ```
 */
export function encodeUninstallValidation(
  parameters: encodeUninstallValidation.Parameters,
): encodeUninstallValidation.ReturnType {
  const { uninstallData, hookUninstallDatas } = parameters
  return encodeFunctionData({
    abi: modularAccountV2Abi,
    functionName: 'uninstallValidation',
    args: [
      encodeValidation(parameters),
      requireBytes('What a module is told on uninstallation', uninstallData),
      hookUninstallDatas.map((data) => requireBytes('What a hook is told on uninstallation', data)),
    ],
  })
}
