import { FrameError } from '../FrameError.ts'

/** An element the page was built with. */
export function elementOf<element extends HTMLElement = HTMLElement>(id: string): element {
  const found = document.getElementById(id)
  if (!found) throw new FrameError(`the page has no element ${id}`)
  return found as element
}
