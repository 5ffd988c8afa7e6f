import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CodedError } from '../../core/errors/BaseError.ts'
import type { ConfigMutation } from '../../query/configMutation.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { useSignerStatus } from '../hooks/useSignerStatus.ts'

/** Options of a TanStack Query mutation without `mutationFn` and `mutationKey`, which the hook sets. */
export type MutationOptions<data, variables, error = CodedError> = Omit<
  UseMutationOptions<data, error, variables>,
  'mutationFn' | 'mutationKey'
>

/** Result of a TanStack Query mutation. Hooks add members with their own names. */
export type MutationResult<data, variables, error = CodedError> = UseMutationResult<data, error, variables>

/** Creates a mutation from its exported options. `hook` is the public hook's name for error messages. */
export function useConfigMutation<data, variables, error = CodedError>(
  hook: string,
  options: MutationOptions<data, variables, error> | undefined,
  mutation: (config: LatchkeyConfig) => ConfigMutation<data, variables>,
): MutationResult<data, variables, error> {
  const { config, queryClient } = useLatchkeyContext(hook)
  return useMutation<data, error, variables>({ ...options, ...mutation(config) }, queryClient)
}

/**
 * Creates a mutation that clears its result and error when the session ends, because they do not apply to the next
 * user.
 */
export function useSessionMutation<data, variables>(
  ...parameters: Parameters<typeof useConfigMutation<data, variables>>
): MutationResult<data, variables> {
  const mutation = useConfigMutation(...parameters)
  const { reset } = mutation
  const { isConnected } = useSignerStatus()
  useEffect(() => {
    if (!isConnected) reset()
  }, [isConnected, reset])
  return mutation
}
