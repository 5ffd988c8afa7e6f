import type { UseMutateAsyncFunction, UseMutateFunction } from '@tanstack/react-query'
import type { Hex, TypedDataDefinition } from 'viem'
import { signTypedDataMutationOptions } from '../../query/clientMutations.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { type MutationOptions, useConfigMutation } from '../query/mutations.ts'

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

/**
 * Signs typed data (EIP-712). Before the account is deployed the signature carries how to deploy it (ERC-6492).
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSignTypedData, useSmartAccountClient } from 'latchkey/react'
 *
 * const types = { Note: [{ name: 'text', type: 'string' }] }
 * export function SignNote({ text }: { text: string }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { signTypedData } = useSignTypedData({ client })
 *   const typedData = { domain: { name: 'Notes' }, types, primaryType: 'Note', message: { text } }
 *   return <button onClick={() => signTypedData({ typedData })}>Sign</button>
 * }
 * ```
 */
export function useSignTypedData({ client, ...options }: useSignTypedData.Parameters): useSignTypedData.ReturnType {
  const { mutate, mutateAsync, data, isPending, error } = useConfigMutation('useSignTypedData', options, (config) =>
    signTypedDataMutationOptions(config, { client }),
  )
  return {
    signTypedData: mutate,
    signTypedDataAsync: mutateAsync,
    signedTypedData: data,
    isSigningTypedData: isPending,
    error,
  }
}
