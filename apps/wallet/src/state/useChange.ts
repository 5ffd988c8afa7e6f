import { useMutation, useQueryClient } from '@tanstack/react-query'

/** `title`: text on success. `failed`: text on failure. */
export type Change = { title: string; failed: string; send: () => Promise<unknown> }

/** Result of the last change. */
type Outcome = { text: string; error?: Error }

/** Changes the account by one operation at a time, then refetches its data. */
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
