import { type FrameMessage, frameMessages } from 'latchkey-protocol'
import type { BaseError } from '../core/errors/BaseError.ts'
import {
  frameClosedError,
  frameFailedError,
  frameLostError,
  frameTimeoutError,
  noContainerError,
} from './frameErrors.ts'
import type { Frame, OpenFrameOptions } from './platform.ts'

// Not a UUID, so no request id is equal to it.
const readyId = 'ready'
/** Interval for checking that the frame still exists while a response is awaited. */
const checkMs = 200

/**
 * Adds a hosted frame to the page and opens a message channel to it. On load, the page transfers a `MessagePort` and
 * the frame replies with its public key. Every later response repeats the `requestId` of its request.
 *
 * @throws `FRAME_DECLINED`, `FRAME_FAILED` (the page has no such container, or the frame replied `ERROR`), `FRAME_LOST`
 * (the page removed the frame during a request), `FRAME_TIMEOUT`.
 */
export function openFrame(options: OpenFrameOptions): Frame {
  const { url, timeoutMs } = options
  const requests = createRequests()
  const channel = new MessageChannel()
  const port = channel.port1
  const iframe = createElement(options)
  let loads = 0
  let isLost = false
  let isClosed = false
  let isKept = true

  const lose = () => {
    isLost = true
    requests.failAll(frameLostError(url))
  }
  const expect = (id: string, what: string, within = timeoutMs) => {
    const response = requests.expect(id, within, () => frameTimeoutError(url, what, within))
    // Browsers dispatch no event when an element is removed.
    const check = setInterval(() => !iframe.isConnected && lose(), checkMs)
    return response.finally(() => clearInterval(check))
  }
  const ready = expect(readyId, 'to open')
  // Prevents an unhandled rejection if no caller awaits `ready`.
  ready.catch(() => undefined)
  port.onmessage = ({ data }: MessageEvent<FrameMessage | null>) => {
    const id = readRequestId(data)
    if (!data || id === undefined) return
    if (id === readyId) isKept = data.storage !== 'memory'
    const failed = data.type === frameMessages.error
    requests.settle(id, failed ? { error: frameFailedError(url, data.value) } : { value: data.value })
  }
  iframe.addEventListener('load', () => {
    loads += 1
    // A second load, such as after the element was moved, means that the port was lost with the previous document.
    if (loads > 1) return lose()
    // With an explicit target origin, a document of another origin in the frame receives nothing.
    iframe.contentWindow?.postMessage({ type: frameMessages.initChannel }, new URL(url).origin, [channel.port2])
  })

  return {
    url,
    isAlive: () => !isClosed && !isLost && iframe.isConnected,
    isKept: () => isKept,
    async publicKey() {
      return String(await ready)
    },
    async request(type, value, within, extra) {
      await ready
      if (isClosed) throw frameClosedError(url)
      if (isLost) throw frameLostError(url)
      const requestId = crypto.randomUUID()
      const response = expect(requestId, `to ${type}`, within)
      port.postMessage({ type, value, ...extra, requestId } satisfies FrameMessage)
      return response
    },
    close() {
      isClosed = true
      port.close()
      iframe.remove()
      requests.failAll(frameClosedError(url))
    },
  }
}

function readRequestId(message: FrameMessage | null): string | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  if (typeof message.requestId === 'string') return message.requestId
  return message.type === frameMessages.publicKeyReady || message.type === frameMessages.error ? readyId : undefined
}

type Waiting = { resolve(value: unknown): void; reject(error: BaseError): void; timer: ReturnType<typeof setTimeout> }

function createRequests() {
  const waiting = new Map<string, Waiting>()
  const take = (id: string) => {
    const entry = waiting.get(id)
    waiting.delete(id)
    clearTimeout(entry?.timer)
    return entry
  }
  return {
    /** Waits for the response with this id; `toLateError` creates the error at the timeout. */
    expect: (id: string, withinMs: number, toLateError: () => BaseError) =>
      new Promise<unknown>((resolve, reject) => {
        const timer = setTimeout(() => take(id)?.reject(toLateError()), withinMs)
        waiting.set(id, { resolve, reject, timer })
      }),
    /** Settles a pending response; ignores unknown ids. */
    settle(id: string, response: { value: unknown } | { error: BaseError }) {
      const entry = take(id)
      if ('error' in response) entry?.reject(response.error)
      else entry?.resolve(response.value)
    },
    failAll(error: BaseError) {
      for (const id of [...waiting.keys()]) take(id)?.reject(error)
    },
  }
}

function createElement(options: OpenFrameOptions): HTMLIFrameElement {
  const { url, elementId, visible, title } = options
  const container = prepareContainer(options)
  const iframe = document.createElement('iframe')
  iframe.id = elementId
  iframe.src = url
  iframe.setAttribute('sandbox', 'allow-scripts allow-same-origin')
  iframe.title = title ?? 'Sign-in keys'
  if (visible) {
    iframe.allow = 'clipboard-write'
    // Attributes instead of styles, so that the page's style sheets can override the size.
    iframe.width = '100%'
    // Fits account, secret and buttons. The frame ignores clicks while its content is clipped.
    iframe.height = '420'
    iframe.frameBorder = '0'
  }
  container.append(iframe)
  return iframe
}

/**
 * Returns the container element. A hidden frame uses the element with the container's id, emptied and hidden, or a new
 * element at the end of the body. A visible frame uses the page's own element and replaces only an earlier frame with
 * the same id.
 */
function prepareContainer({ containerId, elementId, visible }: OpenFrameOptions): HTMLElement {
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
