import { type FrameMessage, frameMessages } from '../wire/frames.ts'
import { createElement } from './frame/createElement.ts'
import { createRequests } from './frame/createRequests.ts'
import { frameClosedError, frameFailedError, frameLostError, frameTimeoutError } from './frame/errors.ts'
import type { Frame, OpenFrameOptions } from './platform.ts'

// No random id has this form.
const readyId = 'ready'
/** While an answer is waited for, its frame is looked for this often. */
const lookMs = 200

/**
 * Puts a hosted frame into the page and speaks the channel protocol with it: on load the page transfers a
 * `MessagePort`, the frame answers with its public key, and every later answer echoes the `requestId` it is for. No
 * answer within `timeoutMs` fails with `FRAME_TIMEOUT`, an `ERROR` answer with `FRAME_FAILED`, and what was asked of a
 * frame that the page took away with `FRAME_LOST`.
 */
export function openFrame(options: OpenFrameOptions): Frame {
  const { url, timeoutMs } = options
  const requests = createRequests()
  const channel = new MessageChannel()
  const port = channel.port1
  const iframe = createElement(options)
  let loads = 0
  let lost = false
  let closed = false

  const lose = () => {
    lost = true
    requests.failAll(frameLostError(url))
  }
  const expect = (id: string, what: string, within = timeoutMs) => {
    const answer = requests.expect(id, within, () => frameTimeoutError(url, what, within))
    // Nothing tells that the element was removed.
    const look = setInterval(() => !iframe.isConnected && lose(), lookMs)
    return answer.finally(() => clearInterval(look))
  }
  const ready = expect(readyId, 'to open')
  // Asked for later, or never: not an unhandled rejection.
  ready.catch(() => undefined)
  port.onmessage = ({ data }: MessageEvent<FrameMessage | null>) => {
    const id = answeredBy(data)
    if (!data || id === undefined) return
    const failed = data.type === frameMessages.error
    requests.settle(id, failed ? { error: frameFailedError(url, data.value) } : { value: data.value })
  }
  iframe.addEventListener('load', () => {
    loads += 1
    // Loaded again, as a move within the page does: the port went with the document before.
    if (loads > 1) return lose()
    // Named target: a page that took the frame's place on another origin gets nothing.
    iframe.contentWindow?.postMessage({ type: frameMessages.initChannel }, new URL(url).origin, [channel.port2])
  })

  return {
    url,
    isAlive: () => !closed && !lost && iframe.isConnected,
    async publicKey() {
      return String(await ready)
    },
    async request(type, value, within, extra) {
      await ready
      if (closed) throw frameClosedError(url)
      if (lost) throw frameLostError(url)
      const requestId = crypto.randomUUID()
      const answer = expect(requestId, `to ${type}`, within)
      port.postMessage({ type, value, ...extra, requestId } satisfies FrameMessage)
      return answer
    },
    close() {
      closed = true
      port.close()
      iframe.remove()
      requests.failAll(frameClosedError(url))
    },
  }
}

/** Id of the request a message answers; undefined for one that says nothing here. */
function answeredBy(message: FrameMessage | null): string | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  if (typeof message.requestId === 'string') return message.requestId
  return message.type === frameMessages.publicKeyReady || message.type === frameMessages.error ? readyId : undefined
}
