import type { ReactNode } from 'react'

type RowProps = {
  icon: ReactNode
  title: string
  detail: ReactNode
  /** Technical details, collapsed by default. */
  more?: readonly string[] | undefined
  action?: ReactNode
  children: ReactNode
}

/** Renders a row of a card's list. `children` are at the end of the row. */
export function Row({ icon, title, detail, more = [], action, children }: RowProps) {
  return (
    <li>
      <span className="icon" aria-hidden="true">
        {icon}
      </span>
      <div>
        <span>{title}</span>
        {detail !== null && detail !== undefined && <span className="mono">{detail}</span>}
        {action}
        {more.length > 0 && (
          <details className="more">
            <summary>Details</summary>
            {more.map((line) => (
              <span className="mono" key={line}>
                {line}
              </span>
            ))}
          </details>
        )}
      </div>
      {children}
    </li>
  )
}
