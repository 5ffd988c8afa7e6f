import { FrameError } from '../FrameError.ts'
import { watchSight } from './sight.ts'

/** Returns an element of the page. */
export function getElement<element extends HTMLElement = HTMLElement>(id: string): element {
  const found = document.getElementById(id)
  if (!found) throw new FrameError(`the page has no element ${id}`)
  return found as element
}

/** Shows one stage of the page and hides the others. */
export function showStage(shown: string, stages: readonly string[]): void {
  for (const id of stages) getElement(id).hidden = id !== shown
}

/**
 * Calls `act` only for a user's own clicks, since a script's click could reveal a secret that the user did not ask for.
 */
export function onUserClick(element: HTMLElement, act: () => void): void {
  element.addEventListener('click', (event) => {
    if (event.isTrusted) act()
  })
}

export declare namespace onSeenClick {
  type Parameters = {
    /** Element the user must see to understand the click. */
    area: HTMLElement
    /** Shows why a click does not count. */
    status: HTMLElement
  }
}

/** Adds an {@link onUserClick} handler that ignores clicks while the page covers, clips or fades the frame. */
export function onSeenClick(button: HTMLElement, { area, status }: onSeenClick.Parameters, act: () => void): void {
  const sight = watchSight(area)
  onUserClick(button, () => {
    const isSeen = sight.isSeen()
    status.textContent = isSeen ? '' : 'Make sure you can see all of this, then try again.'
    // Reverts scrolling by the frame itself; elements that the page hides stay hidden.
    if (isSeen) act()
    else area.scrollIntoView({ block: 'nearest' })
  })
}
