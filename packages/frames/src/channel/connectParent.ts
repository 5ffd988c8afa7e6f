import { type FrameMessage, frameMessages } from 'latchkey/wire'
import { createQueue, errorAnswer, type Handle, type Reply } from './createQueue.ts'

export declare namespace connectParent {
  type Parameters = {
    handle: Handle
    /** What `PUBLIC_KEY_READY` says, once the frame is ready. */
    announce: () => Promise<Announcement>
    /** Origins that may use this frame. */
    allowedOrigins: readonly string[]
  }
  type Announcement = Pick<FrameMessage, 'storage'> & { value: string }
}

/**
 * Speaks with the page around the frame, in both documented ways: over `window.postMessage`, and over the
 * `MessagePort` the page hands over once, after which only the port counts. The first origin heard from is the only
 * one ever listened to, and it must be on the list.
 */
export function connectParent({ handle, announce, allowedOrigins }: connectParent.Parameters): void {
  const allowed = new Set(allowedOrigins)
  const announced = announce()
  const enqueue = createQueue({ handle, ready: announced })
  let parentOrigin: string | undefined

  const greet = (reply: Reply) =>
    announced.then(
      (announcement) => reply({ type: frameMessages.publicKeyReady, ...announcement }),
      (error: unknown) => reply(errorAnswer(error)),
    )
  const usePort = (port: MessagePort) => {
    window.removeEventListener('message', onMessage)
    const reply: Reply = (message) => port.postMessage(message)
    port.onmessage = ({ data }) => enqueue(data, 'port', reply)
    void greet(reply)
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
  // A page that does not hand over a port waits for this. The target keeps it from any other page.
  void greet((message) => {
    for (const origin of parentCandidates(allowed)) toWindow(origin)(message)
  })
}

function toWindow(origin: string): Reply {
  return (message) => window.parent.postMessage(message, origin)
}

function refusal(origin: string): FrameMessage {
  return { type: frameMessages.error, value: `Error: ${origin} is not on this frame's list` }
}

/** Where the browser tells the parent's origin, that one if allowed; else each allowed one, of which one fits. */
function parentCandidates(allowed: ReadonlySet<string>): string[] {
  const actual = (window.location as Location & { ancestorOrigins?: DOMStringList }).ancestorOrigins?.[0]
  if (actual === undefined) return [...allowed]
  return allowed.has(actual) ? [actual] : []
}
