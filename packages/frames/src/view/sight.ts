/** Tracks whether the user can see an element. */
export type Sight = {
  /**
   * Whether the whole element has been in view for half a second, uncovered and opaque, as far as the browser reports
   * it.
   */
  isSeen(): boolean
}

/** `isVisible`: whether nothing covers, fades or distorts the element; undefined without IntersectionObserver v2. */
type Entry = IntersectionObserverEntry & { isVisible?: boolean }
type Options = IntersectionObserverInit & { trackVisibility: boolean; delay: number }

/** Visible share that counts as the whole element. Fractional pixels require a value below 1. */
const wholeRatio = 0.98
/** Time to read a line. Prevents a page from uncovering the element just before a click. */
const seenMs = 500

/**
 * Starts to watch an element. Without IntersectionObserver v2, the browser reports whether the page clips the element
 * or scrolls it away, but not whether the page covers the frame.
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
