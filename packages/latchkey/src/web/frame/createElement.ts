import type { OpenFrameOptions } from '../platform.ts'
import { noContainerError } from './errors.ts'

/** The element of a frame, put into the page. */
export function createElement(options: OpenFrameOptions): HTMLIFrameElement {
  const { url, elementId, visible, title } = options
  const container = containerOf(options)
  const iframe = document.createElement('iframe')
  iframe.id = elementId
  iframe.src = url
  iframe.setAttribute('sandbox', 'allow-scripts allow-same-origin')
  iframe.title = title ?? (visible ? 'Wallet export' : 'Sign-in keys')
  if (visible) {
    iframe.allow = 'clipboard-write'
    // Attributes, so that any style of the page is stronger.
    iframe.width = '100%'
    iframe.height = '300'
    iframe.frameBorder = '0'
  }
  container.append(iframe)
  return iframe
}

/**
 * For a hidden frame the container of that id, emptied and hidden when the page has one, else a new one at the end of
 * the body. For a visible one the page's own, in which only a frame of the same id is replaced.
 */
function containerOf({ containerId, elementId, visible }: OpenFrameOptions): HTMLElement {
  const existing = document.getElementById(containerId)
  if (visible) {
    if (!existing) throw noContainerError(containerId)
    document.getElementById(elementId)?.remove()
    return existing
  }
  const container = existing ?? document.createElement('div')
  container.id = containerId
  container.style.display = 'none'
  container.replaceChildren()
  if (!container.isConnected) document.body.append(container)
  return container
}
