import type { ReactNode } from 'react'

type MessageProps = {
  icon: ReactNode
  title: string
  titleId: string
  /** The step tells of a failure. */
  isBad?: boolean | undefined
  children?: ReactNode | undefined
}

/** The middle of a step that tells something. The heading takes the focus when the step appears, so it is read out. */
export function Message({ icon, title, titleId, isBad, children }: MessageProps) {
  return (
    <div className="lk-message">
      <div className={isBad ? 'lk-glyph lk-glyph-bad' : 'lk-glyph'}>{icon}</div>
      <h2 className="lk-heading" id={titleId} tabIndex={-1} data-lk-focus="">
        {title}
      </h2>
      {children}
    </div>
  )
}
