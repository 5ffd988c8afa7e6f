import { Button } from '@latchkey/ui/Button'
import { useAuthModal } from 'latchkey/react'
import { getErrorCode, toDetails, toSentence } from '../format.ts'
import { useInView } from './useInView.ts'

type FailureProps = {
  title: string
  error: unknown
  /** Explanation to show instead of the error's own sentence. */
  explanation?: string | undefined
}

/** Shows what failed and why. Offers to sign in again if the operation requires a more recent sign-in. */
export function Failure({ title, error, explanation = toSentence(error) }: FailureProps) {
  const { openAuthModal } = useAuthModal()
  const details = toDetails(error)
  return (
    <div className="error" role="alert" ref={useInView<HTMLDivElement>(error)}>
      <p>
        <b>{title}.</b> {explanation}
      </p>
      {details && (
        <details>
          <summary>Details</summary>
          <pre>{details}</pre>
        </details>
      )}
      {getErrorCode(error) === 'REQUEST_NOT_AUTHORIZED' && (
        <Button look="small" onClick={openAuthModal}>
          Sign in again
        </Button>
      )}
    </div>
  )
}
