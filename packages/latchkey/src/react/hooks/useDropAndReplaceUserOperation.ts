import { dropAndReplaceUserOperationMutationOptions } from '../../query/clientMutations.ts'
import type { SendUserOperationResult, SmartAccountClient } from '../../wallet/client/types.ts'
import { type MutationOptions, type MutationResult, useConfigMutation } from '../query/mutations.ts'

/** `uoToDrop`: the `request` of the pending operation. */
type Variables = Parameters<SmartAccountClient['dropAndReplaceUserOperation']>[0]

export declare namespace useDropAndReplaceUserOperation {
  type Parameters = MutationOptions<SendUserOperationResult, Variables> & { client: SmartAccountClient | undefined }
  type ReturnType = MutationResult<SendUserOperationResult, Variables> & {
    dropAndReplaceUserOperation: MutationResult<SendUserOperationResult, Variables>['mutate']
    dropAndReplaceUserOperationResult: SendUserOperationResult | undefined
    isDroppingAndReplacingUserOperation: boolean
  }
}

/**
 * Replaces a pending user operation by resending it with higher fees.
 *
 * @throws `PROVIDER_MISSING`.
 *
 * @example
 * ```tsx
 * import type { UserOperationRequest } from 'latchkey'
 * import { useDropAndReplaceUserOperation, useSmartAccountClient } from 'latchkey/react'
 *
 * export function Hurry({ request }: { request: UserOperationRequest }) {
 *   const { client } = useSmartAccountClient({ type: 'LightAccount' })
 *   const { dropAndReplaceUserOperation } = useDropAndReplaceUserOperation({ client })
 *   return <button onClick={() => dropAndReplaceUserOperation({ uoToDrop: request })}>Raise the fee</button>
 * }
 * ```
 */
export function useDropAndReplaceUserOperation(
  parameters: useDropAndReplaceUserOperation.Parameters,
): useDropAndReplaceUserOperation.ReturnType {
  const { client, ...options } = parameters
  const mutation = useConfigMutation('useDropAndReplaceUserOperation', options, (config) =>
    dropAndReplaceUserOperationMutationOptions(config, { client }),
  )
  return {
    ...mutation,
    dropAndReplaceUserOperation: mutation.mutate,
    dropAndReplaceUserOperationResult: mutation.data,
    isDroppingAndReplacingUserOperation: mutation.isPending,
  }
}
