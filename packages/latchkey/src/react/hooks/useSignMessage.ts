import { type UseMutateAsyncFunction, type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type { Hex, SignableMessage } from 'viem'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { signMessageMutationOptions } from '../query/signMessage.ts'
import type { MutationOptions } from '../query/types.ts'

type Variables = { message: SignableMessage }

export declare namespace useSignMessage {
  type Parameters = MutationOptions<Hex, Variables> & { client: SmartAccountClient | undefined }
  type ReturnType = {
    signMessage: UseMutateFunction<Hex, Error, Variables>
    signMessageAsync: UseMutateAsyncFunction<Hex, Error, Variables>
    signedMessage: Hex | undefined
    isSigningMessage: boolean
    error: Error | null
  }
}

/** Signs messages; before the account is deployed the signature carries how to deploy it (ERC-6492). */
export function useSignMessage({ client, ...options }: useSignMessage.Parameters): useSignMessage.ReturnType {
  const { queryClient } = useLatchkeyContext('useSignMessage')
  const { mutate, mutateAsync, data, isPending, error } = useMutation(
    signMessageMutationOptions(client, options),
    queryClient,
  )
  return { signMessage: mutate, signMessageAsync: mutateAsync, signedMessage: data, isSigningMessage: isPending, error }
}
