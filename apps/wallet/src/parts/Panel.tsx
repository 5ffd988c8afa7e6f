import { Button } from '@latchkey/ui/Button'
import { Component, type ReactNode, Suspense } from 'react'

type PanelProps = {
  /** CSS class of the card; it reserves the height while loading, so that nothing below moves. */
  className: string
  /** A lazily loaded card. */
  children: ReactNode
}

/** Slot of a card. A card that fails to load does not affect others. */
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
