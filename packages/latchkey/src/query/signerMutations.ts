import type { Chain } from 'viem'
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
import { configMutation, signerMutation } from './configMutation.ts'

// biome-ignore lint/suspicious/noConfusingVoidType: it lets the mutation be called without an argument
type AddVariables = AddPasskeyOptions | void
// biome-ignore lint/suspicious/noConfusingVoidType: see above
type WaitVariables = WaitOptions | void

// Mutations of the signer and the config, one a line: its key, and what it does.

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
export const authenticateMutationOptions = /* @__PURE__ */ signerMutation(
  'authenticate',
  (signer, parameters: AuthParameters) => signer.authenticate(parameters),
)

/** Options of the mutation of `useLogout`: signs out, in every tab. */
export const logoutMutationOptions = /* @__PURE__ */ configMutation<void, void>('logout', (config) => {
  requirePage(config, 'signer')
  return disconnect(config)
})

/** Options of the mutation of `useChain`: makes another of the connections' chains the active one. */
export const setChainMutationOptions = /* @__PURE__ */ configMutation(
  'setChain',
  (config, { chain }: { chain: Chain }) => {
    requirePage(config, 'setChain')
    return setChain(config, chain)
  },
)

/** Options of the mutation of `useAddPasskey`: adds a passkey. It prompts, so run it from a press. */
export const addPasskeyMutationOptions = /* @__PURE__ */ signerMutation('addPasskey', (signer, options: AddVariables) =>
  signer.addPasskey(options ?? undefined),
)

/** Options of the mutation of `useSession`: signs the same way in once more, by a mail to the same address or by the passkey. */
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

/** Options of the mutation of `useAuthMethods`: adds or removes a passkey, sets the address, ends sessions, signs out everywhere, deletes the account. */
export const changeAuthMethodsMutationOptions = /* @__PURE__ */ signerMutation('changeAuthMethods', perform)

export declare namespace exportAccountMutationOptions {
  /** Ids of the container, which must be on the page, and of the frame. */
  type Parameters = ExportWalletParameters
}

/**
 * Options of the mutation of `useExportAccount`: shows the seed phrase in a frame, in the container named.
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
  /** Ids of the container, which must be on the page, and of the frame. */
  type Parameters = Pick<ImportWalletParameters, 'iframeContainerId' | 'iframeElementId'>
  type Secret = Pick<ImportWalletParameters, 'secret' | 'name'>
}

/** Options of the mutation of `useImportAccount` that opens the frame into which a secret is typed. */
export const openImportMutationOptions = /* @__PURE__ */ signerMutation(
  'openImport',
  (signer, secret: openImportMutationOptions.Secret, _, params: openImportMutationOptions.Parameters) =>
    signer.importWallet({ ...secret, ...params }),
)

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
