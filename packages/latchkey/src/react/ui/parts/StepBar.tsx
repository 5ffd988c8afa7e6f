import { texts } from '../texts.ts'
import { BackIcon, CloseIcon } from './Icons.tsx'

type StepBarProps = { onClose: () => void; onBack?: () => void; title?: string; titleId?: string }

/** The bar on top of every step: Back where there is a way back, the title of the form, Close always. */
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
