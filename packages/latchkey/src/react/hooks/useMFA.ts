import type { MultiFactor, NewMultiFactor } from 'latchkey-protocol'
import {
  addMfaMutationOptions,
  getMfaFactorsMutationOptions,
  removeMfaMutationOptions,
  validateMultiFactorsMutationOptions,
  verifyMfaMutationOptions,
} from '../../query/multiFactorMutations.ts'
import type { User } from '../../signer/types.ts'
import { type MutationResult, useConfigMutation, useSessionMutation } from '../query/mutations.ts'
import { useSignerStatus } from './useSignerStatus.ts'

export declare namespace useMFA {
  type Factors = { multiFactors: MultiFactor[] }
  type ReturnType = {
    /** Lists the user's second factors, at most one. */
    getMFAFactors: MutationResult<Factors, void>
    /** Creates a second factor. Show `multiFactorTotpUrl` of the result to the user. */
    addMFA: MutationResult<NewMultiFactor, { multiFactorType: 'totp' }>
    /**
     * Activates a second factor by its first code. Waits until the user confirms the confirmation e-mail; see
     * `useConfirmation`. Show `recoveryCodes` of the result, which cannot be read again.
     */
    verifyMFA: MutationResult<Factors & { recoveryCodes: string[] }, verifyMfaMutationOptions.Parameters>
    /** Removes second factors. Waits until the user confirms the confirmation e-mail. */
    removeMFA: MutationResult<Factors, removeMfaMutationOptions.Parameters>
    /** Completes a sign-in in the status `AWAITING_MFA_AUTH`, as the dialog does. */
    validateMFA: MutationResult<User, validateMultiFactorsMutationOptions.Parameters>
    /** Whether a user is signed in, so that factors can be listed and changed. */
    isReady: boolean
  }
}

/**
 * Lists, sets up and removes the second factor of the signed-in user: an authenticator app (TOTP).
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useMFA } from 'latchkey/react'
 *
 * export function SecondFactor() {
 *   const { addMFA, verifyMFA, isReady } = useMFA()
 *   const { multiFactorId, multiFactorTotpUrl } = addMFA.data ?? {}
 *   if (verifyMFA.data) return <pre>{verifyMFA.data.recoveryCodes.join('\n')}</pre>
 *   if (!multiFactorId)
 *     return (
 *       <button disabled={!isReady} onClick={() => addMFA.mutate({ multiFactorType: 'totp' })}>
 *         Set up
 *       </button>
 *     )
 *   return (
 *     <form action={(form) => verifyMFA.mutate({ multiFactorId, multiFactorCode: String(form.get('code')) })}>
 *       <a href={multiFactorTotpUrl}>Open your authenticator app</a>
 *       <input name="code" inputMode="numeric" autoComplete="one-time-code" />
 *       <button aria-busy={verifyMFA.isPending}>Continue</button>
 *     </form>
 *   )
 * }
 * ```
 */
export function useMFA(): useMFA.ReturnType {
  const { isConnected: isReady } = useSignerStatus()
  return {
    getMFAFactors: useSessionMutation('useMFA', undefined, getMfaFactorsMutationOptions),
    addMFA: useSessionMutation('useMFA', undefined, addMfaMutationOptions),
    verifyMFA: useSessionMutation('useMFA', undefined, verifyMfaMutationOptions),
    removeMFA: useSessionMutation('useMFA', undefined, removeMfaMutationOptions),
    validateMFA: useConfigMutation('useMFA', undefined, validateMultiFactorsMutationOptions),
    isReady,
  }
}
