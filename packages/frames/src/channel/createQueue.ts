import { type FrameMessage, frameMessages } from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'
import type { Message, Reply } from './message.ts'

/** Handles one message; null if it is not for this frame. */
export type Handle = (message: Message) => Promise<Reply | Later | null>
/** A reply that waits for the user. Later messages are handled before it. */
export type Later = { later: Promise<Reply> }
export type Send = (message: FrameMessage) => void

export declare namespace createQueue {
  type Parameters = {
    handle: Handle
    /** Resolves when the frame can handle messages; earlier messages wait for this. */
    ready: Promise<unknown>
  }
  type ReturnType = (data: unknown, channel: Message['channel'], send: Send) => void
}

/**
 * Returns a queue that handles messages in sequence and replies to each exactly once, in order: first-generation
 * clients match replies by order alone. Only replies that wait for the user come later. A reply, also an error, carries
 * the `requestId` of its message.
 */
export function createQueue({ handle, ready }: createQueue.Parameters): createQueue.ReturnType {
  let last: Promise<void> = Promise.resolve()

  const replyTo = async (message: Message): Promise<Reply | Later | null> => {
    try {
      await ready
      const reply = await handle(message)
      if (reply) return reply
      // A window also receives unrelated messages; a port or an id identifies those for this frame.
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

/** Returns the `ERROR` reply of a failure. The page gets details only of a `FrameError`. */
export function toErrorReply(error: unknown): Reply {
  const text = error instanceof FrameError ? error.message : 'the frame failed'
  return { type: frameMessages.error, value: `Error: ${text}` }
}

function readMessage(data: unknown): FrameMessage | null {
  if (typeof data !== 'object' || data === null) return null
  return typeof (data as FrameMessage).type === 'string' ? (data as FrameMessage) : null
}
