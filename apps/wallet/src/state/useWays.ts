import { useAuthMethods, useAuthModal } from 'latchkey/react'
import { useState } from 'react'
import { getErrorCode } from '../format.ts'
import { clearNotes } from './activity.ts'

/** Texts on success and failure. */
const words = {
  addPasskey: ['Your passkey is added', 'Could not add a passkey'],
  removePasskey: ['The passkey is removed', 'Could not remove the passkey'],
  endSessions: ['The other sessions are ended', 'Could not sign out elsewhere'],
  setEmail: ['Your address is set', 'Could not set the address'],
  signOutEverywhere: ['You are signed out', 'Could not sign out everywhere'],
  deleteAccount: ['Your account is deleted', 'Could not delete the account'],
} as const
type Change = keyof typeof words

/** Returns the sign-in methods, and the last change's result for the part that caused it. */
export function useWays(onAdded: () => void) {
  const [last, setLast] = useState<{ type: Change; isDone: boolean } | null>(null)
  // After a sign-up the dialog may be adding a passkey.
  const { isOpen } = useAuthModal()
  const ways = useAuthMethods({
    isEnabled: isOpen ? false : undefined,
    onMutate: ({ type }) => setLast({ type, isDone: false }),
    onSuccess(_, { type }) {
      setLast({ type, isDone: true })
      if (type === 'addPasskey') onAdded()
      if (type === 'signOutEverywhere') clearNotes()
    },
  })
  const { changing, error } = ways
  const toOutcome = (...types: Change[]) => {
    if (!last || changing || !types.includes(last.type)) return null
    const [done, failed] = words[last.type]
    if (last.isDone) return { text: done }
    // A cancelled action is no failure.
    return error && getErrorCode(error) !== 'ABORTED' ? { text: failed, error } : null
  }
  return { ...ways, toOutcome, listError: !last || last.isDone ? error : null }
}
