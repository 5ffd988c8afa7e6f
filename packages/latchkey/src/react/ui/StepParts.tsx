import type { ReactNode } from 'react'
import { errorAdvice, errorDetails, errorText } from './errorText.ts'
import { BackIcon, CloseIcon, WarnIcon } from './Icons.tsx'
import { texts } from './texts.ts'

type StepBarProps = { onClose: () => void; onBack?: () => void; title?: string; titleId?: string }

/** The bar at the top of every step: Back where the step has a previous one, the form's title, Close always. */
export function StepBar({ onClose, onBack, title, titleId }: StepBarProps) {
  return (
    <div className="lk-bar">
      {onBack && (
        <button type="button" className="lk-icon-button" aria-label={texts.back} onClick={onBack}>
          <BackIcon />
        </button>
      )}
      {title !== undefined && (
        <h2 className="lk-title" id={titleId}>
          {title}
        </h2>
      )}
      <button type="button" className="lk-icon-button" aria-label={texts.close} onClick={onClose}>
        <CloseIcon />
      </button>
    </div>
  )
}

type MessageProps = {
  icon: ReactNode
  title: string
  titleId: string
  /** The step reports a failure. */
  isBad?: boolean | undefined
  /** The step has a field that takes the focus instead. */
  hasField?: boolean | undefined
  children?: ReactNode | undefined
}

/** The text of a step. Its heading takes the focus when the step appears, so that it is read out. */
export function Message({ icon, title, titleId, isBad, hasField, children }: MessageProps) {
  return (
    <div className="lk-message">
      <div className={isBad ? 'lk-glyph lk-glyph-bad' : 'lk-glyph'}>{icon}</div>
      <h2 className="lk-heading" id={titleId} tabIndex={-1} data-lk-focus={hasField ? undefined : ''}>
        {title}
      </h2>
      {children}
    </div>
  )
}

export function ErrorBanner({ error }: { error: unknown }) {
  const advice = errorAdvice(error)
  const details = errorDetails(error)
  return (
    <div className="lk-error" role="alert">
      <WarnIcon size={18} />
      <div>
        <b>{texts.error}</b>
        <p>{errorText(error)}</p>
        {advice && <p>{advice}</p>}
        {details && (
          <details>
            <summary>{texts.details}</summary>
            <pre>{details}</pre>
          </details>
        )}
      </div>
    </div>
  )
}
