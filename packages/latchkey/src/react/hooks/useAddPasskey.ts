import { type UseMutateFunction, useMutation } from '@tanstack/react-query'
import { useLatchkeyContext } from '../context.ts'
import { type AddPasskeyParameters, addPasskeyMutationOptions } from '../query/addPasskey.ts'
import type { MutationOptions } from '../query/types.ts'

export declare namespace useAddPasskey {
  type Options = MutationOptions<string[], AddPasskeyParameters>
  type ReturnType = {
    /** Prompts: call it from a press. */
    addPasskey: UseMutateFunction<string[], Error, AddPasskeyParameters>
    isAddingPasskey: boolean
    error: Error | null
  }
}

/** Gives the person signed in a passkey as another way to sign in. */
export function useAddPasskey(options?: useAddPasskey.Options): useAddPasskey.ReturnType {
  const { config, queryClient } = useLatchkeyContext('useAddPasskey')
  const { mutate, isPending, error } = useMutation(addPasskeyMutationOptions(config, options), queryClient)
  return { addPasskey: mutate, isAddingPasskey: isPending, error }
}
