import type { Hex, SignableMessage } from 'viem'
import { signMessageMutationOptions } from '../../query/clientMutations.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

type Variables = { message: SignableMessage }

export declare namespace useSignMessage {
  type Parameters = MutationOptions<Hex, Variables> & { client: SmartAccountClient | undefined }
  type ReturnType = MutationResult<Hex, Variables> & {
    signMessage: MutationResult<Hex, Variables>['mutate']
    signMessageAsync: MutationResult<Hex, Variables>['mutateAsync']
    signedMessage: Hex | undefined
    isSigningMessage: boolean
  }
}

/**
 * Signs messages (EIP-191). Before the account is deployed the signature includes its deployment data (ERC-6492).
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import { useSignMessage, useSmartAccountClient } from 'latchkey/react'
 *
 * export function Greet() {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { signMessage, signedMessage } = useSignMessage({ client })
 *   return <button onClick={() => signMessage({ message: 'Hello' })}>{signedMessage ?? 'Sign'}</button>
 * }
 * ```
 */
export function useSignMessage({ client, ...options }: useSignMessage.Parameters): useSignMessage.ReturnType {
  const mutation = useConfigMutation('useSignMessage', options, (config) =>
    signMessageMutationOptions(config, { client }),
  )
  return {
    ...mutation,
    signMessage: mutation.mutate,
    signMessageAsync: mutation.mutateAsync,
    signedMessage: mutation.data,
    isSigningMessage: mutation.isPending,
  }
}
