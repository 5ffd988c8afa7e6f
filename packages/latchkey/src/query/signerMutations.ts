import type { Chain } from 'viem'
import { deviceName } from '../core/deviceName.ts'
import type { AuthParameters } from '../signer/AuthParameters.ts'
import { NotAuthenticatedError } from '../signer/errors/NotAuthenticatedError.ts'
import type { AddPasskeyOptions, ExportWalletParameters, Signer, User } from '../signer/types.ts'
import type { WaitOptions } from '../signer/WaitOptions.ts'
import type { ImportWalletParameters, WalletImport } from '../signer/WalletImport.ts'
import { requirePage } from '../wallet/actions/account.ts'
import { setChain } from '../wallet/actions/chain.ts'
import { disconnect } from '../wallet/actions/session.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { configMutation, signerMutation } from './configMutation.ts'

// biome-ignore lint/suspicious/noConfusingVoidType: it lets the mutation be called without an argument
type AddVariables = AddPasskeyOptions | void
// biome-ignore lint/suspicious/noConfusingVoidType: see above
type WaitVariables = WaitOptions | void

/**
 * Returns the options of the mutation behind `useAuthenticate`, which signs in. An e-mail sign-in resolves when the
 * link is opened in any tab of this browser.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `REQUEST_INVALID` for an incomplete request; `ABORTED`, `SUPERSEDED`. By email: `LINK_EXPIRED`, `OTP_INVALID`,
 * `OTP_EXPIRED`, `EMAIL_INIT_SESSION_MISSING`, `BUNDLE_INJECTION_FAILED`, `LINK_HANDED_OVER`, `LINK_TAB_GONE`. By
 * passkey: `NO_USER_FOUND`, `PASSKEY_CANCELLED`, `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_UNSUPPORTED`. Either:
 * `ACCOUNT_UNPROVEN`, `ENDPOINTS_CHANGED`, `FRAME_TIMEOUT`, `HTTP_FAILED`, `TIMEOUT`, `RESPONSE_INVALID`.
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
export const authenticateMutationOptions = /* @__PURE__ */ signerMutation(
  'authenticate',
  (signer, parameters: AuthParameters) => signer.authenticate(parameters),
)

/**
 * Returns the options of the mutation behind `useLogout`, which signs out in every tab.
 *
 * @throws `CLIENT_ONLY` on a server; errors of `disconnect`.
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
export const logoutMutationOptions = /* @__PURE__ */ configMutation<void, void>('logout', (config) => {
  requirePage(config, 'signer')
  return disconnect(config)
})

/**
 * Returns the options of the mutation behind `useChain`, which sets the active chain to one of the configured chains.
 *
 * @throws `CLIENT_ONLY` on a server; errors of `setChain`.
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
export const setChainMutationOptions = /* @__PURE__ */ configMutation(
  'setChain',
  (config, { chain }: { chain: Chain }) => {
    requirePage(config, 'setChain')
    return setChain(config, chain)
  },
)

/**
 * Returns the options of the mutation behind `useAddPasskey`, which adds a passkey. The browser prompts, so run it
 * from a click handler.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE`
 * offline; `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`,
 * `REQUEST_NOT_AUTHORIZED` if the sign-in is not recent enough; `PASSKEY_CANCELLED`, `PASSKEY_EXISTS`,
 * `PASSKEY_FAILED`, `PASSKEY_TIMEOUT`, `PASSKEY_UNSUPPORTED`.
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
export const addPasskeyMutationOptions = /* @__PURE__ */ signerMutation('addPasskey', (signer, options: AddVariables) =>
  signer.addPasskey(options ?? undefined),
)

/**
 * Returns the options of the mutation behind `useAccessToken`, which returns an access token for the app's server.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNER_NOT_AUTHENTICATED`, `HTTP_FAILED`, `TIMEOUT`, `RESPONSE_INVALID`; `PASSKEY_CANCELLED`, `PASSKEY_TIMEOUT` in a
 * passkey session without a device key.
 *
 * @example
 * ```ts
 * import { getAccessTokenMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = getAccessTokenMutationOptions(config)
 * const token = await mutationFn()
 * console.log(token)
 * ```
 */
export const getAccessTokenMutationOptions = /* @__PURE__ */ signerMutation<string, void>('getAccessToken', (signer) =>
  signer.getAccessToken(),
)

/**
 * Returns the options of the mutation behind `useSession`, which signs the user in again with the same sign-in method.
 *
 * @throws `SIGNER_NOT_AUTHENTICATED` without a session; errors of `authenticateMutationOptions`.
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
export const extendSessionMutationOptions = /* @__PURE__ */ signerMutation(
  'extendSession',
  (signer, wait: WaitVariables) => extend(signer, wait?.signal),
)

export declare namespace changeAuthMethodsMutationOptions {
  type Change =
    | { type: 'addPasskey'; options?: AddPasskeyOptions | undefined }
    | { type: 'removePasskey'; id: string; wait?: WaitOptions | undefined }
    | { type: 'setEmail'; email: string; wait?: WaitOptions | undefined }
    | { type: 'deleteAccount'; wait?: WaitOptions | undefined }
    | { type: 'endSessions'; ids?: readonly string[] | undefined }
    | { type: 'signOutEverywhere' }
}

/**
 * Returns the options of the mutation behind `useAuthMethods`, which adds or removes a passkey, sets the e-mail
 * address, ends sessions, signs out everywhere or deletes the account.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` if
 * the sign-in is not recent enough; `HTTP_FAILED` if custody refuses the change, such as an invalid email address;
 * errors of `addPasskeyMutationOptions` and `disconnect`.
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
export const changeAuthMethodsMutationOptions = /* @__PURE__ */ signerMutation('changeAuthMethods', perform)

export declare namespace changeProvidersMutationOptions {
  type Change =
    | { type: 'addProvider'; provider: string; wait?: WaitOptions | undefined }
    | { type: 'removeProvider'; id: string; wait?: WaitOptions | undefined }
}

/**
 * Returns the options of the mutation behind `useConnectedProviders`, which adds or removes an account at an identity
 * provider. Adding opens a window, so run it from a click handler.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `OIDC_TOKEN_INVALID`,
 * `PROVIDER_WINDOW_BLOCKED`, `PROVIDER_WINDOW_CLOSED`, `REQUEST_NOT_AUTHORIZED` if the sign-in is not recent enough;
 * `HTTP_FAILED`, also if another account has the identity (`turnkeyErrorCode` `CREDENTIAL_CONFLICT`); `TIMEOUT`.
 *
 * @example
 * ```ts
 * import { changeProvidersMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = changeProvidersMutationOptions(config)
 * await mutationFn({ type: 'addProvider', provider: 'google' })
 * ```
 */
export const changeProvidersMutationOptions = /* @__PURE__ */ signerMutation(
  'changeProviders',
  async (signer, change: changeProvidersMutationOptions.Change) => {
    if (change.type === 'addProvider') await signer.addProvider(change.provider, change.wait)
    else await signer.removeProvider(change.id, change.wait)
  },
)

export declare namespace exportAccountMutationOptions {
  /** Ids of the container element, which must be in the document, and of the frame. */
  type Parameters = ExportWalletParameters
}

/**
 * Returns the options of the mutation behind `useExportAccount`, which shows the seed phrase in a frame inside the
 * given container.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE`
 * offline; `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`,
 * `REQUEST_NOT_AUTHORIZED` if the sign-in is not recent enough; `WALLET_NOT_FOUND`, `BUNDLE_INJECTION_FAILED`,
 * `FRAME_FAILED`, `FRAME_TIMEOUT`.
 *
 * @example
 * ```ts
 * import { exportAccountMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * await exportAccountMutationOptions(config, { iframeContainerId: 'export' }).mutationFn()
 * ```
 */
export const exportAccountMutationOptions = /* @__PURE__ */ signerMutation(
  'exportAccount',
  (signer, wait: WaitVariables, _, params: exportAccountMutationOptions.Parameters) =>
    signer.exportWallet({ ...params, signal: wait?.signal ?? params.signal }),
)

export declare namespace openImportMutationOptions {
  /** Ids of the container element, which must be in the document, and of the frame. */
  type Parameters = Pick<ImportWalletParameters, 'iframeContainerId' | 'iframeElementId'>
  type Secret = Pick<ImportWalletParameters, 'secret' | 'name'>
}

/**
 * Returns the options of the mutation behind `useImportAccount` that opens the frame in which the user enters a secret.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNER_NOT_AUTHENTICATED`, `BUNDLE_INJECTION_FAILED`, `FRAME_FAILED`, `FRAME_TIMEOUT`.
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
export const openImportMutationOptions = /* @__PURE__ */ signerMutation(
  'openImport',
  (signer, secret: openImportMutationOptions.Secret, _, params: openImportMutationOptions.Parameters) =>
    signer.importWallet({ ...secret, ...params }),
)

/**
 * Returns the options of the mutation behind `useImportAccount` that encrypts and sends the entered secret.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `FRAME_DECLINED`, `FRAME_FAILED`, `FRAME_LOST`, `RESPONSE_INVALID`, `HTTP_FAILED`.
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
export const submitImportMutationOptions = /* @__PURE__ */ signerMutation('submitImport', (_, opened: WalletImport) =>
  opened.submit(),
)

async function extend(signer: Signer, signal: AbortSignal | undefined): Promise<User> {
  const { user } = signer
  if (!user) throw new NotAuthenticatedError()
  if (user.credentialId !== undefined || user.email === undefined)
    return signer.authenticate({ type: 'passkey', createNew: false, signal })
  return signer.authenticate({ type: 'email', email: user.email, signal })
}

async function perform(
  signer: Signer,
  change: changeAuthMethodsMutationOptions.Change,
  config: LatchkeyConfig,
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
