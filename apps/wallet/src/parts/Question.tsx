import { Button } from '@latchkey/ui/Button'
import { type ReactNode, useEffect, useId, useRef } from 'react'

type QuestionProps = {
  title: string
  children: ReactNode
  yes: string
  no: string
  onYes: () => void
  /** Called when the dialog closes, including after `onYes` and Escape. */
  onClose: () => void
}

/** Asks the user before an irreversible action. Uses a native dialog, which traps and restores the focus. */
export function Question({ title, children, yes, no, onYes, onClose }: QuestionProps) {
  const titleId = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  const close = () => dialog.current?.close()
  return (
    <dialog className="question" ref={dialog} aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      <p>{children}</p>
      <div className="actions">
        <Button onClick={close}>{no}</Button>
        <Button
          look="danger"
          onClick={() => {
            close()
            onYes()
          }}
        >
          {yes}
        </Button>
      </div>
    </dialog>
  )
}
