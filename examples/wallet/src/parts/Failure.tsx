import { useAuthModal } from 'latchkey/react'
import { codeOf, sentence } from '../format.ts'

/** What was not done, and why. What needs a younger sign-in leads to one, and back here. */
export function Failure({ title, error }: { title: string; error: unknown }) {
  const { openAuthModal } = useAuthModal()
  return (
    <div className="error" role="alert">
      <p>
        <b>{title}: not done.</b> {sentence(error)}
      </p>
      {codeOf(error) === 'REQUEST_NOT_AUTHORIZED' && (
        <button type="button" className="button small" onClick={openAuthModal}>
          Sign in again
        </button>
      )}
    </div>
  )
}
