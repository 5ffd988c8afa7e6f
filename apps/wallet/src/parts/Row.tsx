import type { ReactNode } from 'react'

type RowProps = {
  icon: ReactNode
  title: string
  detail: string | null
  /** Full value of the detail. */
  hash?: string | undefined
  action?: ReactNode
  children: ReactNode
}

/** A line of a card's list, with its children at the end. */
export function Row({ icon, title, detail, hash, action, children }: RowProps) {
  return (
    <li>
      <span className="icon" aria-hidden="true">
        {icon}
      </span>
      <div>
        <span>{title}</span>
        {detail !== null && (
          <span className="mono" title={hash}>
            {detail}
          </span>
        )}
        {action}
      </div>
      {children}
    </li>
  )
}
