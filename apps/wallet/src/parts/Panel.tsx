import { Button } from '@latchkey/ui/Button'
import { Component, type ReactNode, Suspense } from 'react'

type PanelProps = {
  /** CSS class of the card. Reserves the card's height while it loads, so that the layout does not shift. */
  className: string
  /** A lazily loaded card. */
  children: ReactNode
}

/** Renders a card with its own error boundary, so that a card that fails to load does not affect others. */
export function Panel({ className, children }: PanelProps) {
  const blank = `blank ${className}`
  return (
    <LoadBoundary fallback={<NotLoaded className={blank} />}>
      <Suspense fallback={<div className={blank} />}>{children}</Suspense>
    </LoadBoundary>
  )
}

class LoadBoundary extends Component<{ children: ReactNode; fallback: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}

function NotLoaded({ className }: { className: string }) {
  return (
    <section className={className}>
      <p className="sub" role="alert">
        This part of the wallet could not be loaded. Check your connection, then reload the page.
      </p>
      <Button look="small" onClick={() => location.reload()}>
        Reload
      </Button>
    </section>
  )
}
