import { FrameError } from '../FrameError.ts'
import { watchSight } from './sight.ts'

/** An element that is part of the page. */
export function getElement<element extends HTMLElement = HTMLElement>(id: string): element {
  const found = document.getElementById(id)
  if (!found) throw new FrameError(`the page has no element ${id}`)
  return found as element
}

/** Shows one stage of the page and hides the others. */
export function showStage(shown: string, stages: readonly string[]): void {
  for (const id of stages) getElement(id).hidden = id !== shown
}

/** Calls `act` for clicks of a user only: one made by a script could reveal a secret that the user did not ask for. */
export function onUserClick(element: HTMLElement, act: () => void): void {
  element.addEventListener('click', (event) => {
    if (event.isTrusted) act()
  })
}

export declare namespace onSeenClick {
  type Parameters = {
    /** What the user has to see to know what the click does. */
    area: HTMLElement
    /** Says why a click does not count. */
    status: HTMLElement
  }
}

/** {@link onUserClick} for clicks that matter: those made while the page covers, cuts off or fades the frame do not count. */
export function onSeenClick(button: HTMLElement, { area, status }: onSeenClick.Parameters, act: () => void): void {
  const sight = watchSight(area)
  onUserClick(button, () => {
    const isSeen = sight.isSeen()
    status.textContent = isSeen ? '' : 'That did not count: the page covers or cuts off part of this. Try again.'
    // What the frame itself has scrolled away is brought back; what the page hides stays hidden.
    if (isSeen) act()
    else area.scrollIntoView({ block: 'nearest' })
  })
}
