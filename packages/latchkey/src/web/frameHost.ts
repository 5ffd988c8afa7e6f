import { BaseError } from '../core/errors/BaseError.ts'
import { redactUrl } from '../core/http/redactUrl.ts'
import { type FrameMessage, frameMessages } from '../wire/frames.ts'
import type { Frame, OpenFrameOptions } from './platform.ts'

type Waiting = { resolve(value: unknown): void; reject(error: BaseError): void; timer: ReturnType<typeof setTimeout> }

/**
 * Puts a hosted frame into the page and speaks the channel protocol with it: on load the page transfers a
 * `MessagePort`, the frame answers with its public key, and every later answer echoes the `requestId` it is for. No
 * answer within `timeoutMs` fails with `FRAME_TIMEOUT`, an `ERROR` answer with `FRAME_FAILED`.
 */
export function openFrame(options: OpenFrameOptions): Frame {
  const { url, timeoutMs } = options
  const waiting = new Map<string, Waiting>()
  const channel = new MessageChannel()
  const port = channel.port1
  const iframe = createElement(options)
  const container = containerOf(options)
  let closed = false

  const expect = (id: string, what: string, within = timeoutMs) =>
    new Promise<unknown>((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id)
        reject(timeoutError(url, what, within))
      }, within)
      waiting.set(id, { resolve, reject, timer })
    })
  const settle = (id: string, message: FrameMessage) => {
    const entry = waiting.get(id)
    if (!entry) return
    waiting.delete(id)
    clearTimeout(entry.timer)
    if (message.type === frameMessages.error) entry.reject(failedError(url, message.value))
    else entry.resolve(message.value)
  }

  const ready = expect(readyId, 'to open')
  // Asked for later, or never: not an unhandled rejection.
  ready.catch(() => undefined)
  port.onmessage = ({ data }: MessageEvent<FrameMessage | null>) => {
    if (typeof data !== 'object' || data === null) return
    if (typeof data.requestId === 'string') settle(data.requestId, data)
    else if (data.type === frameMessages.publicKeyReady || data.type === frameMessages.error) settle(readyId, data)
  }
  iframe.addEventListener(
    'load',
    () => {
      // Named target: a page that took the frame's place on another origin gets nothing.
      iframe.contentWindow?.postMessage({ type: frameMessages.initChannel }, new URL(url).origin, [channel.port2])
    },
    { once: true },
  )
  container.append(iframe)

  return {
    url,
    async publicKey() {
      return String(await ready)
    },
    async request(type, value, within, extra) {
      await ready
      if (closed) throw closedError(url)
      const requestId = crypto.randomUUID()
      const answer = expect(requestId, `to ${type}`, within)
      port.postMessage({ type, value, ...extra, requestId } satisfies FrameMessage)
      return answer
    },
    close() {
      closed = true
      port.close()
      iframe.remove()
      for (const { reject, timer } of waiting.values()) {
        clearTimeout(timer)
        reject(closedError(url))
      }
      waiting.clear()
    },
  }
}

// No random id has this form.
const readyId = 'ready'

function createElement({ url, elementId, visible }: OpenFrameOptions): HTMLIFrameElement {
  const iframe = document.createElement('iframe')
  iframe.id = elementId
  iframe.src = url
  iframe.setAttribute('sandbox', 'allow-scripts allow-same-origin')
  iframe.title = visible ? 'Wallet export' : 'Sign-in keys'
  if (visible) {
    iframe.allow = 'clipboard-write'
    // Attributes, so that any style of the page is stronger.
    iframe.width = '100%'
    iframe.height = '300'
    iframe.frameBorder = '0'
  }
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

function noContainerError(containerId: string): BaseError {
  return new BaseError(`The page has no element with the id "${containerId}" to show the frame in.`, {
    code: 'FRAME_FAILED',
    metaMessages: ['Render the container before the frame is asked for, and keep it until the frame is closed.'],
  })
}

function timeoutError(url: string, what: string, timeoutMs: number): BaseError {
  return new BaseError(`The frame at ${redactUrl(url)} did not answer ${what} within ${timeoutMs} ms.`, {
    code: 'FRAME_TIMEOUT',
    metaMessages: [
      'Check that the server of the frame is running (`npm start` runs a local one) and that it lists the origin of this page.',
    ],
  })
}

function failedError(url: string, value: unknown): BaseError {
  return new BaseError('The frame could not do what was asked.', {
    code: 'FRAME_FAILED',
    metaMessages: [`Frame: ${redactUrl(url)}`],
    details: typeof value === 'string' ? value.replace(/^Error: /, '').slice(0, 500) : undefined,
  })
}

function closedError(url: string): BaseError {
  return new BaseError('The frame was closed.', {
    code: 'ABORTED',
    metaMessages: [`Frame: ${redactUrl(url)}`],
  })
}
