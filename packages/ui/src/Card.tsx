import type { ReactNode } from 'react'

type CardProps = {
  title: string
  /** Content at the end of the title line. */
  aside?: ReactNode
  /** Additional class names for the layout. */
  className?: string
  children: ReactNode
}

export function Card({ title, aside, className, children }: CardProps) {
  return (
    <section className={className ? `card ${className}` : 'card'} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside && <div className="aside">{aside}</div>}
      </header>
      {children}
    </section>
  )
}
