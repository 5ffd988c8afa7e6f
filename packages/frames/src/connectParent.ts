import { type FrameMessage, frameMessages } from 'latchkey/wire'
import { FrameError } from './FrameError.ts'

export type Message = FrameMessage & {
  /** `window`: from a client that hands over no port, as those before version 2.1 of the documented stamper. */
  channel: 'port' | 'window'
}
export type Answer = { type: string; value: unknown }
/** Does one message; null when it is not one of this frame's. */
export type Handle = (message: Message) => Promise<Answer | null>

export declare namespace connectParent {
  type Parameters = {
    handle: Handle
    /** Public key announced when ready. */
    announce: () => Promise<string>
    /** Origins that may use this frame. */
    allowedOrigins: readonly string[]
  }
}

type Reply = (message: FrameMessage) => void

/**
 * Speaks with the page around the frame, in both documented ways: over `window.postMessage`, and over the
 * `MessagePort` the page hands over once, after which only the port counts. The first origin heard from is the only
 * one ever listened to, and it must be on the list. Messages are done one after another, each answered exactly once.
 */
export function connectParent({ handle, announce, allowedOrigins }: connectParent.Parameters): void {
  const allowed = new Set(allowedOrigins)
  const key = announce()
  let parentOrigin: string | undefined
  let queue: Promise<void> = Promise.resolve()

  const enqueue = (data: unknown, channel: Message['channel'], reply: Reply) => {
    if (typeof data !== 'object' || data === null) return
    const message = data as FrameMessage
    const { type, requestId } = message
    if (typeof type !== 'string') return
    const echo = typeof requestId === 'string' ? { requestId } : {}
    queue = queue.then(async () => {
      try {
        // A message that comes before the key is there waits for it.
        await key
        const answer = await handle({ ...message, channel })
        if (answer) reply({ ...answer, ...echo })
        else if (echo.requestId) throw new FrameError('the frame does not know this message')
      } catch (error) {
        reply({ type: frameMessages.error, value: errorText(error), ...echo })
      }
    })
  }
  const greet = (reply: Reply) =>
    key.then(
      (value) => reply({ type: frameMessages.publicKeyReady, value }),
      (error: unknown) => reply({ type: frameMessages.error, value: errorText(error) }),
    )

  const onMessage = (event: MessageEvent<FrameMessage | null>) => {
    if (event.source !== window.parent) return
    const port = event.data?.type === frameMessages.initChannel ? event.ports[0] : undefined
    parentOrigin ??= allowed.has(event.origin) ? event.origin : undefined
    if (event.origin !== parentOrigin) {
      port?.postMessage({ type: frameMessages.error, value: `Error: ${event.origin} is not on this frame's list` })
      return
    }
    if (event.data?.type === frameMessages.initChannel) {
      if (!port) return
      window.removeEventListener('message', onMessage)
      const reply: Reply = (message) => port.postMessage(message)
      port.onmessage = ({ data }) => enqueue(data, 'port', reply)
      void greet(reply)
      return
    }
    const origin = event.origin
    enqueue(event.data, 'window', ({ type, value }) => window.parent.postMessage({ type, value }, origin))
  }
  window.addEventListener('message', onMessage)
  // A page that does not hand over a port waits for this. The target keeps it from any other page.
  void greet((message) => {
    for (const origin of parentCandidates(allowed)) window.parent.postMessage(message, origin)
  })
}

/** Where the browser tells the parent's origin, that one if allowed; else each allowed one, of which one fits. */
function parentCandidates(allowed: ReadonlySet<string>): string[] {
  const actual = (window.location as Location & { ancestorOrigins?: DOMStringList }).ancestorOrigins?.[0]
  if (actual === undefined) return [...allowed]
  return allowed.has(actual) ? [actual] : []
}

function errorText(error: unknown): string {
  return `Error: ${error instanceof FrameError ? error.message : 'the frame failed'}`
}
