import { useMutation, useQueryClient } from '@tanstack/react-query'

/** `title`: text after a success. `failed`: text after a failure. */
export type Change = { title: string; failed: string; send: () => Promise<unknown> }

/** Result of the last change. */
type Outcome = { text: string; error?: Error }

/** Runs one change of the account at a time, then refetches the account's data. */
export function useChange() {
  const queryClient = useQueryClient()
  const { mutate, variables, isPending, isSuccess, error } = useMutation({
    mutationFn: ({ send }: Change) => send(),
    onError: console.error,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['account'] }),
  })
  const failure = error && variables && { text: variables.failed, error }
  const outcome: Outcome | null = isSuccess ? { text: variables.title } : failure
  return { change: mutate, isChanging: isPending, outcome }
}
