import { useAuthModal } from 'latchkey/react'
import { getErrorCode, toSentence } from '../format.ts'

/** What failed, and why. Offers a sign-in when the operation needs a more recent one. */
export function Failure({ title, error }: { title: string; error: unknown }) {
  const { openAuthModal } = useAuthModal()
  return (
    <div className="error" role="alert">
      <p>
        <b>{title}: not done.</b> {toSentence(error)}
      </p>
      {getErrorCode(error) === 'REQUEST_NOT_AUTHORIZED' && (
        <button type="button" className="button small" onClick={openAuthModal}>
          Sign in again
        </button>
      )}
    </div>
  )
}
