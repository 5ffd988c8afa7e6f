import { useEffect, useId, useRef } from 'react'
import type { BaseError } from '../../core/errors/BaseError.ts'

type ChunkFailureProps = {
  error: BaseError
  /** Whether a retry has failed, too: the browser cached the failure, or a newer version of the app is deployed. */
  isRepeated: boolean
  onRetry: () => void
  onClose: () => void
}

/** Replaces a dialog that failed to load. Small and only in English, because it is part of the first load. */
export function ChunkFailure({ error, isRepeated, onRetry, onClose }: ChunkFailureProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    ref.current?.showModal()
    // Reload only after a click, because a reload loses what the user has typed in the app.
    if (isRepeated) return undefined
    addEventListener('online', onRetry)
    return () => removeEventListener('online', onRetry)
  }, [isRepeated, onRetry])
  return (
    <dialog ref={ref} className="lk-dialog" aria-labelledby={titleId} onClose={onClose}>
      <div className="lk-card">
        <div className="lk-message" role="alert">
          <h2 className="lk-heading" id={titleId}>
            {navigator.onLine ? error.shortMessage : 'You are offline.'}
          </h2>
          <p>{error.metaMessages[0]}</p>
        </div>
        <button type="button" className="lk-button lk-button-primary" onClick={onRetry}>
          {isRepeated ? 'Reload' : 'Retry'}
        </button>
        <button type="button" className="lk-button lk-button-secondary" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  )
}
