/** Watches whether the user can see an element. */
export type Sight = {
  /** Whether all of it has been in view for a moment, uncovered and opaque, as far as the browser can tell. */
  isSeen(): boolean
}

/** `isVisible`: whether nothing covers, fades or distorts the target; undefined without IntersectionObserver v2. */
type Entry = IntersectionObserverEntry & { isVisible?: boolean }
type Options = IntersectionObserverInit & { trackVisibility: boolean; delay: number }

/** Visible share that counts as all of an element. Slightly below 1 because of fractional pixels. */
const wholeRatio = 0.98
/** Long enough to read a line, so that a page cannot uncover it just before a click. */
const seenMs = 500

/**
 * Watches an element from now on. Without IntersectionObserver v2, a browser reports if the page clips the element or
 * scrolls it away, but not if the page covers the frame.
 */
export function watchSight(element: Element): Sight {
  let since: number | undefined
  const options: Options = { threshold: [wholeRatio], trackVisibility: true, delay: 100 }
  const observer = new IntersectionObserver((entries) => {
    const { intersectionRatio, isVisible = true }: Entry = entries[entries.length - 1] as Entry
    since = intersectionRatio >= wholeRatio && isVisible ? (since ?? performance.now()) : undefined
  }, options)
  observer.observe(element)
  return { isSeen: () => since !== undefined && performance.now() - since >= seenMs }
}
