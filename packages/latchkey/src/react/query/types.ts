import type { UseMutationOptions } from '@tanstack/react-query'

/** The usual options of a mutation; what it does and its key are the hook's own. */
export type MutationOptions<data, variables> = Omit<
  UseMutationOptions<data, Error, variables>,
  'mutationFn' | 'mutationKey'
>

/** A mutation ready for `useMutation`. */
export type Mutation<data, variables> = UseMutationOptions<data, Error, variables> & {
  mutationFn: (variables: variables) => Promise<data>
}
