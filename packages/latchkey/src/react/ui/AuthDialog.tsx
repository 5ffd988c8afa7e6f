import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'

type AuthDialogProps = {
  isOpen: boolean
  /** Changes with the step: the focus then moves to what the step marks with `data-lk-focus`. */
  stepKey: string
  titleId: string
  className?: string | undefined
  onClose: () => void
  children: ReactNode
}

/**
 * A native modal `<dialog>`: the browser keeps the focus inside, the page behind inert, and closes on Escape
 * (HTML standard § 4.11.4). A press that starts and ends on the backdrop closes too.
 */
export function AuthDialog({ isOpen, stepKey, titleId, className, onClose, children }: AuthDialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const isBackdropPress = useRef(false)

  useEffect(() => {
    const dialog = ref.current
    if (!dialog || dialog.open === isOpen) return
    if (isOpen) dialog.showModal()
    else dialog.close()
  }, [isOpen])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step is what moves the focus
  useEffect(() => {
    if (isOpen) ref.current?.querySelector<HTMLElement>('[data-lk-focus]')?.focus()
  }, [isOpen, stepKey])

  // The dialog has no padding: a press whose target is the dialog itself is outside the card. One that began
  // inside (text being selected) is not.
  const press = (event: MouseEvent) => {
    isBackdropPress.current = event.target === ref.current
  }
  const release = (event: MouseEvent) => {
    if (isBackdropPress.current && event.target === ref.current) onClose()
  }

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the keyboard's way, given by the browser
    <dialog
      ref={ref}
      className={className ? `lk-dialog ${className}` : 'lk-dialog'}
      aria-labelledby={titleId}
      onMouseDown={press}
      onClick={release}
      // Escape has closed it already. The event comes later than the deed: by now it may be open again.
      onClose={() => {
        if (!ref.current?.open) onClose()
      }}
    >
      {isOpen && <div className="lk-card">{children}</div>}
    </dialog>
  )
}
