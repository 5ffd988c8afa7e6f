import type { MutateOptions } from '@tanstack/react-query'
import type { Hex, TypedData, TypedDataDefinition } from 'viem'
import type { CodedError } from '../../core/errors/BaseError.ts'
import { signTypedDataMutationOptions } from '../../query/clientMutations.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

type Variables = { typedData: TypedDataDefinition }

/** Like `mutate` of TanStack Query, but checks the message against its types. */
type Mutate<result> = <
  const typedData extends TypedData | Record<string, unknown>,
  primaryType extends keyof typedData | 'EIP712Domain' = keyof typedData,
>(
  variables: { typedData: TypedDataDefinition<typedData, primaryType> },
  options?: MutateOptions<Hex, CodedError, Variables>,
) => result

export declare namespace useSignTypedData {
  type Parameters = MutationOptions<Hex, Variables> & { client: SmartAccountClient | undefined }
  type ReturnType = MutationResult<Hex, Variables> & {
    signTypedData: Mutate<void>
    signTypedDataAsync: Mutate<Promise<Hex>>
    signedTypedData: Hex | undefined
    isSigningTypedData: boolean
  }
}

/**
 * Signs typed data (EIP-712). Before the account is deployed the signature includes its deployment data (ERC-6492).
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSignTypedData, useSmartAccountClient } from 'latchkey/react'
 *
 * const domain = { name: 'Notes' }
 * const types = { Note: [{ name: 'text', type: 'string' }] } as const
 * export function SignNote({ text }: { text: string }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { signTypedData } = useSignTypedData({ client })
 *   const sign = () => signTypedData({ typedData: { domain, types, primaryType: 'Note', message: { text } } })
 *   return <button onClick={sign}>Sign</button>
 * }
 * ```
 */
export function useSignTypedData({ client, ...options }: useSignTypedData.Parameters): useSignTypedData.ReturnType {
  const mutation = useConfigMutation('useSignTypedData', options, (config) =>
    signTypedDataMutationOptions(config, { client }),
  )
  return {
    ...mutation,
    // The mutation has one fixed type for its variables. These functions infer the type from each call.
    signTypedData: mutation.mutate as Mutate<void>,
    signTypedDataAsync: mutation.mutateAsync as Mutate<Promise<Hex>>,
    signedTypedData: mutation.data,
    isSigningTypedData: mutation.isPending,
  }
}
