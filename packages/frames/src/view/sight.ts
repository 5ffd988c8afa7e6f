/** Watches whether the user can see an element. */
export type Sight = {
  /** Whether all of it has been in view for a moment, uncovered and opaque, as far as the browser can tell. */
  isSeen(): boolean
}

/** IntersectionObserver v2, which not every browser has: whether anything covers, fades or distorts the target. */
type Entry = IntersectionObserverEntry & { isVisible?: boolean }
type Options = IntersectionObserverInit & { trackVisibility: boolean; delay: number }

/** Less than all, because of fractions of pixels. */
const wholeRatio = 0.98
/** Long enough to read a line, so that a page cannot uncover it just before a click. */
const seenMs = 500

/**
 * Where a browser has no IntersectionObserver v2, what the page cuts off or scrolls away is noticed, what it lays over
 * the frame is not.
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
