import { type FrameMessage, frameMessages } from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'
import type { Message, Reply } from './message.ts'

/** Handles one message; null when it is not one of this frame's. */
export type Handle = (message: Message) => Promise<Reply | Later | null>
/** A reply that waits for the person. The messages after it are handled meanwhile. */
export type Later = { later: Promise<Reply> }
export type Send = (message: FrameMessage) => void

export declare namespace createQueue {
  type Parameters = {
    handle: Handle
    /** Every message waits for it, so that one sent before the frame has its key is not lost. */
    ready: Promise<unknown>
  }
  type ReturnType = (data: unknown, channel: Message['channel'], send: Send) => void
}

/**
 * Handles messages one after another and replies to each exactly once, in their order: clients of the first generation
 * match replies by order alone. Only what waits for the person is replied to later. A reply carries the `requestId` of its
 * message unchanged, errors too.
 */
export function createQueue({ handle, ready }: createQueue.Parameters): createQueue.ReturnType {
  let last: Promise<void> = Promise.resolve()

  const replyTo = async (message: Message): Promise<Reply | Later | null> => {
    try {
      await ready
      const reply = await handle(message)
      if (reply) return reply
      // A window also receives messages meant for others; a port, or an id, is meant for this frame.
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

/** The `ERROR` reply of a failure. Failures other than `FrameError` are not described to the page. */
export function toErrorReply(error: unknown): Reply {
  const text = error instanceof FrameError ? error.message : 'the frame failed'
  return { type: frameMessages.error, value: `Error: ${text}` }
}

function readMessage(data: unknown): FrameMessage | null {
  if (typeof data !== 'object' || data === null) return null
  return typeof (data as FrameMessage).type === 'string' ? (data as FrameMessage) : null
}
