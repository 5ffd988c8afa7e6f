import { type RefObject, useEffect } from 'react'

/** Moves the focus to the card or the page's heading when the focused element is removed. */
export function useKeptFocus(heading: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const page = heading.current?.parentElement
    if (!page) return
    let last: Element | null = null
    let card: HTMLElement | null = null
    const note = () => {
      const { activeElement } = document
      if (!activeElement || !page.contains(activeElement)) return
      last = activeElement
      card = activeElement.closest<HTMLElement>('.card')
    }
    const observer = new MutationObserver(() => {
      if (document.activeElement !== document.body || !last || last.isConnected) return note()
      last = null
      const place = card?.isConnected ? card : heading.current
      if (!place) return
      place.tabIndex = -1
      place.focus({ preventScroll: true })
    })
    page.addEventListener('focusin', note)
    observer.observe(page, { childList: true, subtree: true })
    return () => {
      page.removeEventListener('focusin', note)
      observer.disconnect()
    }
  }, [heading])
}
