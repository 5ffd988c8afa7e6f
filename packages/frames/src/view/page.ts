import { FrameError } from '../FrameError.ts'

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
