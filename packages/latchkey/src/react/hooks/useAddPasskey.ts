import { type UseMutateFunction, useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useLatchkeyContext } from '../context.ts'
import { type AddPasskeyParameters, addPasskeyMutationOptions } from '../query/addPasskey.ts'
import type { MutationOptions } from '../query/types.ts'
import { useSignerStatus } from './useSignerStatus.ts'

export declare namespace useAddPasskey {
  type Options = MutationOptions<string[], AddPasskeyParameters>
  type ReturnType = {
    /** Prompts: call it from a press. */
    addPasskey: UseMutateFunction<string[], Error, AddPasskeyParameters>
    isAddingPasskey: boolean
    /** Null again when the session ends, or a new sign-in begins. */
    error: Error | null
  }
}

/** Gives the person signed in a passkey as another way to sign in. */
export function useAddPasskey(options?: useAddPasskey.Options): useAddPasskey.ReturnType {
  const { config, queryClient } = useLatchkeyContext('useAddPasskey')
  const { mutate, reset, isPending, error } = useMutation(addPasskeyMutationOptions(config, options), queryClient)
  const { isConnected } = useSignerStatus()
  // What an older sign-in was refused, the next one may do.
  useEffect(() => {
    if (!isConnected) reset()
  }, [isConnected, reset])
  return { addPasskey: mutate, isAddingPasskey: isPending, error }
}
