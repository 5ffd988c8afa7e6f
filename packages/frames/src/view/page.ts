import { FrameError } from '../FrameError.ts'
import { watchSight } from './sight.ts'

export function getElement<element extends HTMLElement = HTMLElement>(id: string): element {
  const found = document.getElementById(id)
  if (!found) throw new FrameError(`the page has no element ${id}`)
  return found as element
}

/** Shows one stage of the page and hides the other stages. */
export function showStage(shown: string, stages: readonly string[]): void {
  for (const id of stages) getElement(id).hidden = id !== shown
}

/** Calls `act` only for a user's own clicks. A click by a script could reveal a secret without the user. */
export function onUserClick(element: HTMLElement, act: () => void): void {
  element.addEventListener('click', (event) => {
    if (event.isTrusted) act()
  })
}

export declare namespace onSeenClick {
  type Parameters = {
    /** Element that must be visible when the user clicks. */
    area: HTMLElement
    /** Element that shows why a click was ignored. */
    status: HTMLElement
  }
}

/** Adds an {@link onUserClick} handler that ignores clicks while the page covers, clips or fades the frame. */
export function onSeenClick(button: HTMLElement, { area, status }: onSeenClick.Parameters, act: () => void): void {
  const sight = watchSight(area)
  onUserClick(button, () => {
    const isSeen = sight.isSeen()
    status.textContent = isSeen ? '' : 'Make sure you can see all of this, then try again.'
    // Scrolls the frame itself if it hides the area. This does not reveal elements that the page hides.
    if (isSeen) act()
    else area.scrollIntoView({ block: 'nearest' })
  })
}
