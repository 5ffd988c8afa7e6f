import { type ButtonHTMLAttributes, type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { errorAdvice, errorDetails, errorText, ownText } from './errorText.ts'
import { BackIcon, CloseIcon, WaitIcon, WarnIcon } from './Icons.tsx'
import { useLanguage } from './texts/language.ts'

type StepBarProps = {
  onClose?: (() => void) | undefined
  onBack?: (() => void) | undefined
  title?: ReactNode
  isTitleHidden?: boolean | undefined
  titleId?: string
}

/**
 * Renders the top bar of a step: a Back button if there is a previous step, the title, and a Close button in the
 * dialog.
 */
export function StepBar({ onClose, onBack, title, isTitleHidden, titleId }: StepBarProps) {
  const { texts } = useLanguage()
  if (!onClose && !onBack && title === undefined) return null
  return (
    <div className="lk-bar">
      {onBack && (
        <button type="button" className="lk-icon-button" aria-label={texts.back} onClick={onBack}>
          <BackIcon />
        </button>
      )}
      {title !== undefined && (
        <h2 className={isTitleHidden ? 'lk-unseen' : 'lk-title'} id={titleId}>
          {title}
        </h2>
      )}
      {onClose && (
        <button type="button" className="lk-icon-button lk-close" aria-label={texts.close} onClick={onClose}>
          <CloseIcon />
        </button>
      )}
    </div>
  )
}

type MessageProps = {
  icon: ReactNode
  title: string
  titleId: string
  isBad?: boolean | undefined
  /** Whether the step has a field, which gets the focus instead of the heading. */
  hasField?: boolean | undefined
  children?: ReactNode | undefined
}

/**
 * Renders the text of a step. The heading gets the focus when the step appears, so that screen readers read the text.
 */
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

/** Renders a link to a web page. Without a URL, renders the text in a separate element. */
export function PageLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (!href) return <span>{children}</span>
  return (
    <a className="lk-link" href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}

type BusyButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & { isBusy: boolean }

/**
 * Renders a button with a spinner while `isBusy`. Pass elements, not plain text: a translator replaces text nodes, and
 * React cannot insert the spinner before a replaced node.
 */
export function BusyButton({ isBusy, children, ...rest }: BusyButtonProps) {
  return (
    <button type="button" className="lk-button lk-button-primary" aria-busy={isBusy} {...rest}>
      {isBusy && <WaitIcon />}
      {children}
    </button>
  )
}

/**
 * Keeps the focus in the field during a click. Blurring the field may show a hint, which would move the button away.
 */
export const keepFocus = (event: MouseEvent) => event.preventDefault()

type SecondaryButtonProps = { isDisabled?: boolean; onPress: () => void; children: ReactNode }

export function SecondaryButton({ isDisabled, onPress, children }: SecondaryButtonProps) {
  return (
    <button
      type="button"
      className="lk-button lk-button-secondary"
      disabled={isDisabled}
      onMouseDown={keepFocus}
      onClick={onPress}
    >
      {children}
    </button>
  )
}

/** Renders an error. `isForm`: if the error has no text, reports invalid form values. */
export function ErrorBanner({ error, isForm }: { error: unknown; isForm?: boolean }) {
  const language = useLanguage()
  const { texts } = language
  const advice = errorAdvice(error, language)
  const details = errorDetails(error, language)
  const ref = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another failure comes into view, too
  useEffect(() => {
    // Runs after the step has moved the focus, which also scrolls.
    queueMicrotask(() => ref.current?.scrollIntoView({ block: 'nearest' }))
  }, [error])
  return (
    <div ref={ref} className="lk-error" role="alert">
      <WarnIcon size={18} />
      <div>
        <b className="lk-unseen">{texts.error}</b>
        <p>{isForm && ownText(error) === '' ? texts.formInvalid : errorText(error, language)}</p>
        {advice && <p>{advice}</p>}
        {details && (
          <details>
            <summary>{texts.details}</summary>
            {/* Details are for developers and in English. */}
            <pre lang="en" dir="ltr">
              {details}
            </pre>
          </details>
        )}
      </div>
    </div>
  )
}
