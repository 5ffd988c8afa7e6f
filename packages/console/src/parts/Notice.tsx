import { Button } from '@latchkey/ui/Button'
import { CallError } from '../api/request.ts'

/** Shows an error's sentence, with the details that support needs. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { code, requestId } = error instanceof CallError ? error : { code: undefined, requestId: undefined }
  return (
    <div className="notice bad" role="alert">
      <p>{error instanceof Error ? error.message : 'Something went wrong.'}</p>
      {code && (
        <p className="quiet">
          {code}
          {requestId && ` · request ${requestId}`}
        </p>
      )}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

export const Empty = ({ children }: { children: React.ReactNode }) => <p className="empty">{children}</p>

export const Waiting = () => (
  <p className="empty" role="status">
    Loading…
  </p>
)
