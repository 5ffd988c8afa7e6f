import { useEffect, useRef } from 'react'

/** Scrolls an action's result into view, because it may be off-screen on a phone. */
export function useInView<element extends HTMLElement>(result: unknown) {
  const place = useRef<element>(null)
  useEffect(() => {
    if (result) place.current?.scrollIntoView({ block: 'nearest' })
  }, [result])
  return place
}
