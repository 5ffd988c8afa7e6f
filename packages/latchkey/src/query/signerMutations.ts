import type { Address, Chain } from 'viem'
import { deviceName } from '../core/deviceName.ts'
import { NotAuthenticatedError } from '../signer/errors/NotAuthenticatedError.ts'
import type {
  AddPasskeyOptions,
  AuthParameters,
  ExportWalletParameters,
  Signer,
  User,
  WaitOptions,
} from '../signer/types.ts'
import type { ImportWalletParameters, WalletImport } from '../signer/WalletImport.ts'
import { requirePage } from '../wallet/actions/account.ts'
import { setChain } from '../wallet/actions/chain.ts'
import { disconnect } from '../wallet/actions/session.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { type ConfigMutation, neverQueued, signerMutation } from './configMutation.ts'

// biome-ignore lint/suspicious/noConfusingVoidType: it lets the mutation be called without an argument
type AddVariables = AddPasskeyOptions | void
// biome-ignore lint/suspicious/noConfusingVoidType: see above
type WaitVariables = WaitOptions | void

export declare namespace authenticateMutationOptions {
  type ReturnType = ConfigMutation<User, AuthParameters>
}

/**
 * Options of the mutation of `useAuthenticate`: signs in. It resolves when the mail's link was opened in any tab of this browser.
 *
 * @example
 * ```ts
 * import { authenticateMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = authenticateMutationOptions(config)
 * const user = await mutationFn({ type: 'email', email: 'ann@example.com' })
 * console.log(user.address)
 * ```
 */
export function authenticateMutationOptions(config: LatchkeyConfig): authenticateMutationOptions.ReturnType {
  return signerMutation(config, 'authenticate', (signer, parameters) => signer.authenticate(parameters))
}

export declare namespace logoutMutationOptions {
  type ReturnType = ConfigMutation<void, void>
}

/**
 * Options of the mutation of `useLogout`: signs out, in every tab.
 *
 * @example
 * ```ts
 * import { logoutMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = logoutMutationOptions(config)
 * await mutationFn()
 * ```
 */
export function logoutMutationOptions(config: LatchkeyConfig): logoutMutationOptions.ReturnType {
  const mutationFn = async () => {
    requirePage(config, 'signer')
    return disconnect(config)
  }
  return { ...neverQueued, mutationKey: ['logout'], mutationFn }
}

export declare namespace setChainMutationOptions {
  type ReturnType = ConfigMutation<void, { chain: Chain }>
}

/**
 * Options of the mutation of `useChain`: makes another of the connections' chains the active one.
 *
 * @example
 * ```ts
 * import { setChainMutationOptions } from 'latchkey/query'
 * import { chain, config } from './config.ts'
 *
 * const { mutationFn } = setChainMutationOptions(config)
 * await mutationFn({ chain })
 * ```
 */
export function setChainMutationOptions(config: LatchkeyConfig): setChainMutationOptions.ReturnType {
  const mutationFn = async ({ chain }: { chain: Chain }) => {
    requirePage(config, 'setChain')
    return setChain(config, chain)
  }
  return { ...neverQueued, mutationKey: ['setChain'], mutationFn }
}

export declare namespace addPasskeyMutationOptions {
  type ReturnType = ConfigMutation<string[], AddVariables>
}

/**
 * Options of the mutation of `useAddPasskey`: adds a passkey. It prompts, so run it from a press.
 *
 * @example
 * ```ts
 * import { addPasskeyMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = addPasskeyMutationOptions(config)
 * const ids = await mutationFn({ name: 'Work laptop' })
 * console.log(ids)
 * ```
 */
export function addPasskeyMutationOptions(config: LatchkeyConfig): addPasskeyMutationOptions.ReturnType {
  return signerMutation(config, 'addPasskey', (signer, options) => signer.addPasskey(options ?? undefined))
}

export declare namespace extendSessionMutationOptions {
  type ReturnType = ConfigMutation<User, WaitVariables>
}

/**
 * Options of the mutation of `useSession`: signs the same way in once more, by a mail to the same address or by the passkey.
 *
 * @example
 * ```ts
 * import { extendSessionMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = extendSessionMutationOptions(config)
 * await mutationFn()
 * ```
 */
export function extendSessionMutationOptions(config: LatchkeyConfig): extendSessionMutationOptions.ReturnType {
  return signerMutation(config, 'extendSession', (signer, wait) => extend(signer, wait?.signal))
}

async function extend(signer: Signer, signal: AbortSignal | undefined): Promise<User> {
  const { user } = signer
  if (!user) throw new NotAuthenticatedError()
  if (user.credentialId !== undefined || user.email === undefined)
    return signer.authenticate({ type: 'passkey', createNew: false, signal })
  return signer.authenticate({ type: 'email', email: user.email, signal })
}

export declare namespace changeAuthMethodsMutationOptions {
  type Change =
    | { type: 'addPasskey'; options?: AddPasskeyOptions | undefined }
    | { type: 'removePasskey'; id: string; wait?: WaitOptions | undefined }
    | { type: 'setEmail'; email: string; wait?: WaitOptions | undefined }
    | { type: 'deleteAccount'; wait?: WaitOptions | undefined }
    | { type: 'endSessions'; ids?: readonly string[] | undefined }
    | { type: 'signOutEverywhere' }
  type ReturnType = ConfigMutation<void, Change>
}

/**
 * Options of the mutation of `useAuthMethods`: adds or removes a passkey, sets the address, ends sessions, signs out everywhere, deletes the account.
 *
 * @example
 * ```ts
 * import { changeAuthMethodsMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = changeAuthMethodsMutationOptions(config)
 * await mutationFn({ type: 'signOutEverywhere' })
 * ```
 */
export function changeAuthMethodsMutationOptions(config: LatchkeyConfig): changeAuthMethodsMutationOptions.ReturnType {
  return signerMutation(config, 'changeAuthMethods', (signer, change) => perform(signer, config, change))
}

async function perform(
  signer: Signer,
  config: LatchkeyConfig,
  change: changeAuthMethodsMutationOptions.Change,
): Promise<void> {
  switch (change.type) {
    case 'addPasskey':
      await signer.addPasskey({ name: deviceName(navigator.userAgent), ...change.options })
      return
    case 'removePasskey':
      return signer.removeAuthenticator(change.id, change.wait)
    case 'setEmail':
      await signer.setEmail(change.email, change.wait)
      return
    case 'deleteAccount':
      await signer.deleteAccount(change.wait)
      return disconnect(config)
    case 'endSessions':
      await signer.revokeSessions(change.ids)
      return
    case 'signOutEverywhere':
      await signer.revokeSessions()
      return disconnect(config)
  }
}

export declare namespace exportAccountMutationOptions {
  /** Ids of the container, which must be on the page, and of the frame. */
  type Parameters = ExportWalletParameters
  type ReturnType = ConfigMutation<boolean, WaitVariables>
}

/**
 * Options of the mutation of `useExportAccount`: shows the seed phrase in a frame, in the container named.
 *
 * @example
 * ```ts
 * import { exportAccountMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = exportAccountMutationOptions(config, { iframeContainerId: 'export' })
 * await mutationFn()
 * ```
 */
export function exportAccountMutationOptions(
  config: LatchkeyConfig,
  params: exportAccountMutationOptions.Parameters,
): exportAccountMutationOptions.ReturnType {
  return signerMutation(config, 'exportAccount', (signer, wait) =>
    signer.exportWallet({ ...params, signal: wait?.signal ?? params.signal }),
  )
}

export declare namespace openImportMutationOptions {
  /** Ids of the container, which must be on the page, and of the frame. */
  type Parameters = Pick<ImportWalletParameters, 'iframeContainerId' | 'iframeElementId'>
  type Secret = Pick<ImportWalletParameters, 'secret' | 'name'>
  type ReturnType = ConfigMutation<WalletImport, Secret>
}

/**
 * Options of the mutation of `useImportAccount` that opens the frame into which a secret is typed.
 *
 * @example
 * ```ts
 * import { openImportMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = openImportMutationOptions(config, { iframeContainerId: 'import' })
 * const opened = await mutationFn({})
 * opened.close()
 * ```
 */
export function openImportMutationOptions(
  config: LatchkeyConfig,
  params: openImportMutationOptions.Parameters,
): openImportMutationOptions.ReturnType {
  return signerMutation(config, 'openImport', (signer, secret) => signer.importWallet({ ...secret, ...params }))
}

export declare namespace submitImportMutationOptions {
  type ReturnType = ConfigMutation<{ addresses: Address[] }, WalletImport>
}

/**
 * Options of the mutation of `useImportAccount` that sends what was typed, sealed.
 *
 * @example
 * ```ts
 * import { openImportMutationOptions, submitImportMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const opened = await openImportMutationOptions(config, { iframeContainerId: 'import' }).mutationFn({})
 * const { addresses } = await submitImportMutationOptions(config).mutationFn(opened)
 * console.log(addresses)
 * ```
 */
export function submitImportMutationOptions(config: LatchkeyConfig): submitImportMutationOptions.ReturnType {
  return signerMutation(config, 'submitImport', (_, opened) => opened.submit())
}
