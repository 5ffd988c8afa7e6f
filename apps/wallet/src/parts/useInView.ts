import { useEffect, useRef } from 'react'

/** Scrolls an action's result into view: on a phone it may be off-screen. */
export function useInView<element extends HTMLElement>(result: unknown) {
  const place = useRef<element>(null)
  useEffect(() => {
    if (result) place.current?.scrollIntoView({ block: 'nearest' })
  }, [result])
  return place
}
