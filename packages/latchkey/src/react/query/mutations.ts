import { type UseMutationOptions, type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { CodedError } from '../../core/errors/BaseError.ts'
import type { ConfigMutation } from '../../query/configMutation.ts'
import type { LatchkeyConfig } from '../../wallet/store/types.ts'
import { useLatchkeyContext } from '../context.ts'
import { useSignerStatus } from '../hooks/useSignerStatus.ts'

/** Options of a TanStack Query mutation; function and key are set by the hook. */
export type MutationOptions<data, variables, error = CodedError> = Omit<
  UseMutationOptions<data, error, variables>,
  'mutationFn' | 'mutationKey'
>

/** Whole result of a TanStack Query mutation; hooks add their own names to it. */
export type MutationResult<data, variables, error = CodedError> = UseMutationResult<data, error, variables>

/** Creates a mutation from its exported options. `hook`: the public hook, for error messages. */
export function useConfigMutation<data, variables, error = CodedError>(
  hook: string,
  options: MutationOptions<data, variables, error> | undefined,
  mutation: (config: LatchkeyConfig) => ConfigMutation<data, variables>,
): MutationResult<data, variables, error> {
  const { config, queryClient } = useLatchkeyContext(hook)
  return useMutation<data, error, variables>({ ...options, ...mutation(config) }, queryClient)
}

/**
 * Creates a mutation whose result and error are cleared when the session ends, because they don't apply to the next
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
