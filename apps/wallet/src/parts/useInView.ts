import { useEffect, useRef } from 'react'

/** What a press has brought about is in view: on a phone it may be below the edge. */
export function useInView<element extends HTMLElement>(news: unknown) {
  const place = useRef<element>(null)
  useEffect(() => {
    if (news) place.current?.scrollIntoView({ block: 'nearest' })
  }, [news])
  return place
}
