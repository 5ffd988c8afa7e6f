import { Button } from '@latchkey/ui/Button'
import { Component, type ReactNode, Suspense } from 'react'

type PanelProps = {
  /** That of the card: with it the styles keep its height until its code is there, and nothing below it moves. */
  className: string
  /** A card that is loaded when it is first shown: `lazy` of React. */
  children: ReactNode
}

/** The place of a card. One that cannot be loaded takes no other with it. */
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
        This part of the wallet could not be loaded. Check your connection, then load the page again.
      </p>
      <Button look="small" onClick={() => location.reload()}>
        Load again
      </Button>
    </section>
  )
}
