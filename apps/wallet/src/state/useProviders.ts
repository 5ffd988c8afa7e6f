import { useAuthModal, useConnectedProviders } from 'latchkey/react'
import { useState } from 'react'
import { getErrorCode } from '../format.ts'

const words = {
  addProvider: ['Account added', 'Could not add the account'],
  removeProvider: ['Account removed', 'Could not remove the account'],
} as const

/** Returns the user's accounts at identity providers, and the result of the last change. */
export function useProviders() {
  const [last, setLast] = useState<{ type: keyof typeof words; isDone: boolean } | null>(null)
  // The dialog may be adding a passkey after a sign-up.
  const { isOpen } = useAuthModal()
  const providers = useConnectedProviders({
    isEnabled: isOpen ? false : undefined,
    onMutate: ({ type }) => setLast({ type, isDone: false }),
    onSuccess: (_, { type }) => setLast({ type, isDone: true }),
  })
  const { changing, error } = providers
  const toOutcome = () => {
    if (!last || changing) return null
    const [done, failed] = words[last.type]
    if (last.isDone) return { text: done }
    // Cancelling an action is not a failure.
    return error && getErrorCode(error) !== 'ABORTED' ? { text: failed, error } : null
  }
  return { ...providers, outcome: toOutcome(), listError: !last || last.isDone ? error : null }
}
