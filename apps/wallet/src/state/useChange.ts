import { useMutation, useQueryClient } from '@tanstack/react-query'

/** `title`: once it is done. `failed`: if it is not. */
export type Change = { title: string; failed: string; send: () => Promise<unknown> }

/** What became of the last one. */
type Outcome = { text: string; error?: Error }

/** Changes the account by one operation at a time. What the page has read of the account is then read again. */
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
