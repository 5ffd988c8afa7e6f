import { useAuthMethods, useAuthModal } from 'latchkey/react'
import { useState } from 'react'
import { getErrorCode } from '../format.ts'
import { clearNotes } from './activity.ts'

const words = {
  addPasskey: ['Passkey added', 'Could not add a passkey'],
  removePasskey: ['Passkey removed', 'Could not remove the passkey'],
  endSessions: ['Signed out of the other browsers', 'Could not sign out of the other browsers'],
  setEmail: ['Email address saved', 'Could not save the email address'],
  signOutEverywhere: ['Signed out everywhere', 'Could not sign out everywhere'],
  deleteAccount: ['Account deleted', 'Could not delete the account'],
} as const
type Change = keyof typeof words

/** Returns the sign-in methods, and the result of the last change for the card that made it. */
export function useSignInMethods(onAdded: () => void) {
  const [last, setLast] = useState<{ type: Change; isDone: boolean } | null>(null)
  // The dialog may be adding a passkey after a sign-up.
  const { isOpen } = useAuthModal()
  const methods = useAuthMethods({
    isEnabled: isOpen ? false : undefined,
    onMutate: ({ type }) => setLast({ type, isDone: false }),
    onSuccess(_, { type }) {
      setLast({ type, isDone: true })
      if (type === 'addPasskey') onAdded()
      if (type === 'signOutEverywhere') clearNotes()
    },
  })
  const { changing, error } = methods
  const toOutcome = (...types: Change[]) => {
    if (!last || changing || !types.includes(last.type)) return null
    const [done, failed] = words[last.type]
    if (last.isDone) return { text: done }
    // Cancelling an action is not a failure.
    return error && getErrorCode(error) !== 'ABORTED' ? { text: failed, error } : null
  }
  return { ...methods, toOutcome, listError: !last || last.isDone ? error : null }
}
