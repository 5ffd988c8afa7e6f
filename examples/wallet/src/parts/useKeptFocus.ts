import { type FocusEvent, useEffect, useRef } from 'react'

/** Members of a card that takes the focus when what had it within is removed: it would fall out of the page. */
export function useKeptFocus() {
  const card = useRef<HTMLElement>(null)
  const last = useRef<Element | null>(null)
  useEffect(() => {
    if (document.activeElement !== document.body || !last.current || last.current.isConnected) return
    last.current = null
    card.current?.focus({ preventScroll: true })
  })
  return {
    ref: card,
    tabIndex: -1,
    onFocus(event: FocusEvent) {
      last.current = event.target
    },
  }
}
