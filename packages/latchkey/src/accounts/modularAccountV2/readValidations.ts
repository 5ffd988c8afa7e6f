import {
  type Address,
  type Client,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  slice,
  zeroAddress,
} from 'viem'
import { requireExactBytes } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { callView, requireAccountAddress } from '../reads/callView.ts'
import { modularAccountV2Abi } from './encoding.ts'
import { encodeValidation, type ValidationParameter } from './validations.ts'

type AccountOption = {
  /** @default the client's account */
  account?: Address | undefined
}

export declare namespace getValidationData {
  type Parameters = AccountOption & ValidationParameter
  type ReturnType = {
    /**
     * `isUserOpValidation`: the validation verifies user operations. `isSignatureValidation`: the validation verifies
     * signatures (ERC-1271). `isGlobal`: the validation may call every function.
     */
    isUserOpValidation: boolean
    isSignatureValidation: boolean
    isGlobal: boolean
    validationHooks: readonly InstalledHook[]
    executionHooks: readonly InstalledHook[]
    /** Functions of the account that the validation may call. */
    selectors: readonly Hex[]
  }
  type InstalledHook = { address: Address; entityId: number; hasPreHooks: boolean; hasPostHooks: boolean }
}

/**
 * Reads a validation of a Modular Account v2. If the validation is not installed or the account is not deployed, the
 * result has no flags, hooks or selectors.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { getValidationData, modularAccountV2Modules } from 'latchkey/accounts'
 * import { account, publicClient } from './config.ts'
 *
 * const moduleAddress = modularAccountV2Modules.singleSigner
 * const { selectors } = await getValidationData(publicClient, { account: account.address, moduleAddress, entityId: 1 })
 * console.log(selectors)
 * ```
 */
export async function getValidationData(
  client: Client,
  { account, ...validation }: getValidationData.Parameters,
): Promise<getValidationData.ReturnType> {
  const call = { abi: modularAccountV2Abi, functionName: 'getValidationData' } as const
  const data = await callView({
    client,
    address: requireAccountAddress(client, account),
    data: encodeFunctionData({ ...call, args: [encodeValidation(validation)] }),
    action: 'Could not read the validation of the account.',
  })
  const found = data && decodeFunctionResult({ ...call, data })
  const { validationFlags = 0, validationHooks = [], executionHooks = [], selectors = [] } = found ?? {}
  return {
    isUserOpValidation: (validationFlags & 1) !== 0,
    isSignatureValidation: (validationFlags & 2) !== 0,
    isGlobal: (validationFlags & 4) !== 0,
    validationHooks: validationHooks.map(toHook),
    executionHooks: executionHooks.map(toHook),
    selectors,
  }
}

export declare namespace getExecutionData {
  type Parameters = AccountOption & {
    /** Selector of the account's function, 4 bytes. */
    selector: Hex
  }
  type ReturnType = {
    /** Module that implements the function. The account itself for its own functions; zero for an unknown function. */
    module: Address
    /** Whether anyone may call the function, without a validation. */
    skipRuntimeValidation: boolean
    /** Whether global validations may call the function. */
    allowGlobalValidation: boolean
    executionHooks: readonly getValidationData.InstalledHook[]
  }
}

/**
 * Reads the module that implements a function of a Modular Account v2, and the hooks of the function. If the account is
 * not deployed, the module is the zero address and there are no hooks.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { getExecutionData } from 'latchkey/accounts'
 * import { account, publicClient } from './config.ts'
 *
 * const { module } = await getExecutionData(publicClient, { account: account.address, selector: '0xb61d27f6' })
 * console.log(module)
 * ```
 */
export async function getExecutionData(
  client: Client,
  { account, selector }: getExecutionData.Parameters,
): Promise<getExecutionData.ReturnType> {
  const call = { abi: modularAccountV2Abi, functionName: 'getExecutionData' } as const
  const data = await callView({
    client,
    address: requireAccountAddress(client, account),
    data: encodeFunctionData({ ...call, args: [requireExactBytes('A selector', selector, 4)] }),
    action: 'Could not read the function of the account.',
  })
  if (!data) {
    return { module: zeroAddress, skipRuntimeValidation: false, allowGlobalValidation: false, executionHooks: [] }
  }
  const found = decodeFunctionResult({ ...call, data })
  return { ...found, executionHooks: found.executionHooks.map(toHook) }
}

/** Decodes a hook: module (20 bytes), entity id (4) and flags (1). */
function toHook(config: Hex): getValidationData.InstalledHook {
  const flags = Number(slice(config, 24, 25))
  return {
    address: getAddress(slice(config, 0, 20)),
    entityId: Number(slice(config, 20, 24)),
    hasPreHooks: (flags & 4) !== 0,
    hasPostHooks: (flags & 2) !== 0,
  }
}

export declare namespace getFallbackSigner {
  type Parameters = AccountOption
  type ReturnType = {
    /** Owner of the account, EIP-55. */
    signer: Address
    /** Whether the owner's signature is disabled, so that only installed validations can sign. */
    isDisabled: boolean
  }
}

/**
 * Reads the owner of a deployed Modular Account v2 in the default mode.
 *
 * @throws `OWNER_NOT_FOUND`, `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { getFallbackSigner } from 'latchkey/accounts'
 * import { account, publicClient } from './config.ts'
 *
 * const { signer } = await getFallbackSigner(publicClient, { account: account.address })
 * console.log(signer)
 * ```
 */
export async function getFallbackSigner(
  client: Client,
  parameters: getFallbackSigner.Parameters = {},
): Promise<getFallbackSigner.ReturnType> {
  const address = requireAccountAddress(client, parameters.account)
  const call = { abi: modularAccountV2Abi, functionName: 'getFallbackSignerData' } as const
  const action = 'Could not read the owner of the account.'
  const data = await callView({ client, address, data: encodeFunctionData(call), action })
  if (data) {
    const [signer, isDisabled] = decodeFunctionResult({ ...call, data })
    return { signer, isDisabled }
  }
  throw new BaseError('could not get on-chain owner', {
    code: 'OWNER_NOT_FOUND',
    metaMessages: [`Account: ${address}`, 'It has no owner on the chain until its first operation deploys it.'],
  })
}
