import { type FrameMessage, frameMessages } from 'latchkey-protocol'
import { createQueue, type Handle, type Send, toErrorReply } from './createQueue.ts'

export declare namespace connectParent {
  type Parameters = {
    handle: Handle
    /** Resolves to the content of `PUBLIC_KEY_READY` once the frame is ready. */
    announce: () => Promise<Announcement>
    /** Origins that may use this frame. */
    allowedOrigins: readonly string[]
  }
  type Announcement = Pick<FrameMessage, 'storage'> & { value: string }
}

/**
 * Exchanges messages with the parent page in two ways: over `window.postMessage`, or over a `MessagePort` once the page
 * has transferred one. The first allowed origin that sends a message becomes the only accepted origin.
 */
export function connectParent({ handle, announce, allowedOrigins }: connectParent.Parameters): void {
  const allowed = new Set(allowedOrigins)
  const announced = announce()
  const enqueue = createQueue({ handle, ready: announced })
  let parentOrigin: string | undefined

  const greet = (send: Send) =>
    announced.then(
      (announcement) => send({ type: frameMessages.publicKeyReady, ...announcement }),
      (error: unknown) => send(toErrorReply(error)),
    )
  const usePort = (port: MessagePort) => {
    window.removeEventListener('message', onMessage)
    const send: Send = (message) => port.postMessage(message)
    port.onmessage = ({ data }) => enqueue(data, 'port', send)
    void greet(send)
  }
  const onMessage = ({ source, origin, data, ports }: MessageEvent<FrameMessage | null>) => {
    if (source !== window.parent) return
    const isHandover = data?.type === frameMessages.initChannel
    parentOrigin ??= allowed.has(origin) ? origin : undefined
    if (origin !== parentOrigin) {
      if (isHandover) ports[0]?.postMessage(refusal(origin))
      return
    }
    if (!isHandover) enqueue(data, 'window', toWindow(origin))
    else if (ports[0]) usePort(ports[0])
  }
  window.addEventListener('message', onMessage)
  // Pages without a port wait for this message. The target origin prevents other pages from receiving it.
  void greet((message) => {
    for (const origin of parentCandidates(allowed)) toWindow(origin)(message)
  })
}

function toWindow(origin: string): Send {
  return (message) => window.parent.postMessage(message, origin)
}

function refusal(origin: string): FrameMessage {
  return { type: frameMessages.error, value: `Error: ${origin} is not on this frame's list` }
}

/**
 * Returns the parent's origin if it is allowed. In browsers that do not expose the parent's origin, returns all allowed
 * origins.
 */
function parentCandidates(allowed: ReadonlySet<string>): string[] {
  const actual = (window.location as Location & { ancestorOrigins?: DOMStringList }).ancestorOrigins?.[0]
  if (actual === undefined) return [...allowed]
  return allowed.has(actual) ? [actual] : []
}
