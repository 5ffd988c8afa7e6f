import { useEffect, useRef } from 'react'

/** Scrolls an action's result into view: on a phone it may be off-screen. */
export function useInView<element extends HTMLElement>(news: unknown) {
  const place = useRef<element>(null)
  useEffect(() => {
    if (news) place.current?.scrollIntoView({ block: 'nearest' })
  }, [news])
  return place
}
