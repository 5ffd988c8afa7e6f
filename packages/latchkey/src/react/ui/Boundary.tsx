import { Component, type ReactNode } from 'react'

type BoundaryProps = {
  /** Renders the content. A new key remounts the content. */
  render: (key: number) => ReactNode
  onFailed?: (() => void) | undefined
}

/**
 * Error boundary that protects the app's page. Remounts the content at most twice: translators and extensions move
 * nodes, which React then cannot find.
 */
export class Boundary extends Component<BoundaryProps, { count: number }> {
  override state = { count: 0 }

  override componentDidCatch() {
    this.setState({ count: this.state.count + 1 })
    this.props.onFailed?.()
  }

  override render() {
    return this.state.count < 3 && this.props.render(this.state.count)
  }
}
