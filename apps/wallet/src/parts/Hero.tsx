import type { ReactNode } from 'react'
import { Keyhole } from './Icons.tsx'

/** Renders a page with a single message. */
export function Hero({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="hero">
      <div className="glyph">
        <Keyhole size={44} />
      </div>
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </main>
  )
}

/** Renders a placeholder while the page loads its content. */
export function Opening({ what }: { what: 'wallet' | 'account' }) {
  return (
    <main className="waiting">
      <h1>Opening your {what}…</h1>
    </main>
  )
}
