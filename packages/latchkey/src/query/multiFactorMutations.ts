import type { MultiFactor } from 'latchkey-protocol'
import type { WaitOptions } from '../signer/WaitOptions.ts'
import { signerMutation } from './configMutation.ts'

/**
 * Returns the options of the mutation behind `useMFA` that lists the user's second factors.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNER_NOT_AUTHENTICATED`, `HTTP_FAILED`, `TIMEOUT`, `RESPONSE_INVALID`; `PASSKEY_CANCELLED`, `PASSKEY_TIMEOUT` in a
 * passkey session.
 *
 * @example
 * ```ts
 * import { getMfaFactorsMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = getMfaFactorsMutationOptions(config)
 * const { multiFactors } = await mutationFn()
 * console.log(multiFactors.length > 0)
 * ```
 */
export const getMfaFactorsMutationOptions = /* @__PURE__ */ signerMutation<{ multiFactors: MultiFactor[] }, void>(
  'getMfaFactors',
  (signer) => signer.getMfaFactors(),
)

/**
 * Returns the options of the mutation behind `useMFA` that creates a second factor, without effect until its first code.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNER_NOT_AUTHENTICATED`, `REQUEST_NOT_AUTHORIZED` if the sign-in is not recent enough; `HTTP_FAILED`, also if the
 * user has a factor (`turnkeyErrorCode` `CREDENTIAL_CONFLICT`); `TIMEOUT`, `RESPONSE_INVALID`.
 *
 * @example
 * ```ts
 * import { addMfaMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = addMfaMutationOptions(config)
 * const { multiFactorId, multiFactorTotpUrl } = await mutationFn({ multiFactorType: 'totp' })
 * console.log(multiFactorId, multiFactorTotpUrl.startsWith('otpauth://totp/'))
 * ```
 */
export const addMfaMutationOptions = /* @__PURE__ */ signerMutation(
  'addMfa',
  (signer, parameters: { multiFactorType: 'totp' }) => signer.addMfa(parameters),
)

export declare namespace verifyMfaMutationOptions {
  type Parameters = { multiFactorId: string; multiFactorCode: string; wait?: WaitOptions | undefined }
}

/**
 * Returns the options of the mutation behind `useMFA` that activates a second factor, once its user has confirmed by
 * email. Its result contains the recovery codes.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `MFA_INVALID`,
 * `REQUEST_NOT_AUTHORIZED` if the sign-in is not recent enough; `HTTP_FAILED`, `TIMEOUT`, `RESPONSE_INVALID`.
 *
 * @example
 * ```ts
 * import { verifyMfaMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = verifyMfaMutationOptions(config)
 * const { recoveryCodes } = await mutationFn({ multiFactorId: 'id of addMfa', multiFactorCode: '123456' })
 * console.log(recoveryCodes.length)
 * ```
 */
export const verifyMfaMutationOptions = /* @__PURE__ */ signerMutation(
  'verifyMfa',
  (signer, { wait, ...parameters }: verifyMfaMutationOptions.Parameters) => signer.verifyMfa(parameters, wait),
)

export declare namespace removeMfaMutationOptions {
  type Parameters = { multiFactorIds: readonly string[]; wait?: WaitOptions | undefined }
}

/**
 * Returns the options of the mutation behind `useMFA` that removes second factors, once their user has confirmed by
 * email.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `SIGNER_NOT_AUTHENTICATED`, `ABORTED`, `CONFIRMATION_EXPIRED`, `CONFIRMATION_REFUSED`, `REQUEST_NOT_AUTHORIZED` if
 * the sign-in is not recent enough; `HTTP_FAILED`, `TIMEOUT`, `RESPONSE_INVALID`.
 *
 * @example
 * ```ts
 * import { removeMfaMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * await removeMfaMutationOptions(config).mutationFn({ multiFactorIds: ['id of getMfaFactors'] })
 * ```
 */
export const removeMfaMutationOptions = /* @__PURE__ */ signerMutation(
  'removeMfa',
  (signer, { wait, ...parameters }: removeMfaMutationOptions.Parameters) => signer.removeMfa(parameters, wait),
)

export declare namespace validateMultiFactorsMutationOptions {
  type Parameters = { multiFactorCode: string; multiFactorId?: string | undefined }
}

/**
 * Returns the options of the mutation behind `useMFA` that completes a sign-in in the status `AWAITING_MFA_AUTH`.
 *
 * @throws `SIGNER_NOT_CONNECTED` before the page has mounted, `CLIENT_ONLY` on a server, `NETWORK_UNREACHABLE` offline;
 * `MFA_INVALID` for a wrong code, after which the sign-in still waits; `REQUEST_INVALID` if no sign-in waits; errors of
 * `authenticateMutationOptions`.
 *
 * @example
 * ```ts
 * import { validateMultiFactorsMutationOptions } from 'latchkey/query'
 * import { config } from './config.ts'
 *
 * const { mutationFn } = validateMultiFactorsMutationOptions(config)
 * const user = await mutationFn({ multiFactorCode: '123456' })
 * console.log(user.address)
 * ```
 */
export const validateMultiFactorsMutationOptions = /* @__PURE__ */ signerMutation(
  'validateMultiFactors',
  (signer, parameters: validateMultiFactorsMutationOptions.Parameters) => signer.validateMultiFactors(parameters),
)
