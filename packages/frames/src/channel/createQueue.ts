import { type FrameMessage, frameMessages } from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'
import type { Message, Reply } from './message.ts'

/** Handles one message. Returns null for a message to another frame. */
export type Handle = (message: Message) => Promise<Reply | Later | null>
/** Reply that waits for the user. Later messages are handled in the meantime. */
export type Later = { later: Promise<Reply> }
export type Send = (message: FrameMessage) => void

export declare namespace createQueue {
  type Parameters = {
    handle: Handle
    /** Resolves once the frame can handle messages. Messages that arrive earlier wait. */
    ready: Promise<unknown>
  }
  type ReturnType = (data: unknown, channel: Message['channel'], send: Send) => void
}

/**
 * Creates a queue that handles messages in sequence and replies exactly once to each. Replies are in order, because old
 * clients match them by order alone; only replies that wait for the user come later. Each reply or error has the
 * `requestId` of its message.
 */
export function createQueue({ handle, ready }: createQueue.Parameters): createQueue.ReturnType {
  let last: Promise<void> = Promise.resolve()

  const replyTo = async (message: Message): Promise<Reply | Later | null> => {
    try {
      await ready
      const reply = await handle(message)
      if (reply) return reply
      // A window also receives messages for others. A port or an id identifies messages for this frame.
      if (message.channel === 'window' && message.requestId === undefined) return null
      throw new FrameError('the frame does not know this message')
    } catch (error) {
      return toErrorReply(error)
    }
  }
  return (data, channel, send) => {
    const message = readMessage(data)
    if (!message) return
    const { requestId } = message
    const respond = (reply: Reply) => send(requestId === undefined ? reply : { ...reply, requestId })
    last = last.then(async () => {
      const reply = await replyTo({ ...message, channel })
      if (!reply) return
      if ('later' in reply) void reply.later.catch(toErrorReply).then(respond)
      else respond(reply)
    })
  }
}

/** Returns the `ERROR` reply for a failure. Only the message of a `FrameError` is sent to the page. */
export function toErrorReply(error: unknown): Reply {
  const text = error instanceof FrameError ? error.message : 'the frame failed'
  return { type: frameMessages.error, value: `Error: ${text}` }
}

function readMessage(data: unknown): FrameMessage | null {
  if (typeof data !== 'object' || data === null) return null
  return typeof (data as FrameMessage).type === 'string' ? (data as FrameMessage) : null
}
