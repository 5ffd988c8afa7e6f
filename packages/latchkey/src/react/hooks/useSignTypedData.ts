import { type UseMutateAsyncFunction, type UseMutateFunction, useMutation } from '@tanstack/react-query'
import type { Hex, TypedDataDefinition } from 'viem'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { signTypedDataMutationOptions } from '../query/signTypedData.ts'
import type { MutationOptions } from '../query/types.ts'

type Variables = { typedData: TypedDataDefinition }

export declare namespace useSignTypedData {
  type Parameters = MutationOptions<Hex, Variables> & { client: SmartAccountClient | undefined }
  type ReturnType = {
    signTypedData: UseMutateFunction<Hex, Error, Variables>
    signTypedDataAsync: UseMutateAsyncFunction<Hex, Error, Variables>
    signedTypedData: Hex | undefined
    isSigningTypedData: boolean
    error: Error | null
  }
}

/** Signs typed data; before the account is deployed the signature carries how to deploy it (ERC-6492). */
export function useSignTypedData({ client, ...options }: useSignTypedData.Parameters): useSignTypedData.ReturnType {
  const { queryClient } = useLatchkeyContext('useSignTypedData')
  const { mutate, mutateAsync, data, isPending, error } = useMutation(
    signTypedDataMutationOptions(client, options),
    queryClient,
  )
  return {
    signTypedData: mutate,
    signTypedDataAsync: mutateAsync,
    signedTypedData: data,
    isSigningTypedData: isPending,
    error,
  }
}
