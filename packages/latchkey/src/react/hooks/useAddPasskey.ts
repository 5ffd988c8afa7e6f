import { addPasskeyMutationOptions } from '../../query/signerMutations.ts'
import type { Signer } from '../../signer/types.ts'
import { type MutationOptions, type MutationResult, useSessionMutation } from '../query/mutations.ts'

// biome-ignore lint/suspicious/noConfusingVoidType: it lets the mutation be called without an argument
type Variables = Parameters<Signer['addPasskey']>[0] | void

export declare namespace useAddPasskey {
  type Options = MutationOptions<string[], Variables>
  type ReturnType = MutationResult<string[], Variables> & {
    /** Prompts the user: call it from a click handler. */
    addPasskey: MutationResult<string[], Variables>['mutate']
    isAddingPasskey: boolean
  }
}

/**
 * Adds a passkey to the signed-in user as another sign-in method. `onSuccess` receives the ids of the added
 * authenticators.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useAddPasskey } from 'latchkey/react'
 *
 * export function AddPasskey() {
 *   const { addPasskey, isAddingPasskey, error } = useAddPasskey()
 *   return <button disabled={isAddingPasskey} onClick={() => addPasskey()}>{error?.message ?? 'Add a passkey'}</button>
 * }
 * ```
 */
export function useAddPasskey(options?: useAddPasskey.Options): useAddPasskey.ReturnType {
  const mutation = useSessionMutation('useAddPasskey', options, addPasskeyMutationOptions)
  return { ...mutation, addPasskey: mutation.mutate, isAddingPasskey: mutation.isPending }
}
