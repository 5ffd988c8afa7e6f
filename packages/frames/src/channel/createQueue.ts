import { type FrameMessage, frameMessages } from 'latchkey/wire'
import { FrameError } from '../FrameError.ts'

export type Message = FrameMessage & {
  /** `window`: from a client that hands over no port, as those before version 2.1 of the documented stamper. */
  channel: 'port' | 'window'
}
export type Answer = { type: string; value: unknown }
/** Does one message; null when it is not one of this frame's. */
export type Handle = (message: Message) => Promise<Answer | null>
export type Reply = (message: FrameMessage) => void

export declare namespace createQueue {
  type Parameters = {
    handle: Handle
    /** What every message waits for: a message that comes before the frame's key is there is not lost. */
    ready: Promise<unknown>
  }
  type ReturnType = (data: unknown, channel: Message['channel'], reply: Reply) => void
}

/**
 * Does messages one after another and answers each exactly once, in their order: clients of the first generation tell
 * answers apart by nothing else. An answer carries the `requestId` of its message as it came, also when it is an error.
 */
export function createQueue({ handle, ready }: createQueue.Parameters): createQueue.ReturnType {
  let last: Promise<void> = Promise.resolve()

  const answer = async (message: Message): Promise<Answer | null> => {
    try {
      await ready
      const done = await handle(message)
      if (done) return done
      // A window also hears what is meant for others; a port, or an id, is meant for this frame.
      if (message.channel === 'window' && message.requestId === undefined) return null
      throw new FrameError('the frame does not know this message')
    } catch (error) {
      return errorAnswer(error)
    }
  }
  return (data, channel, reply) => {
    const message = readMessage(data)
    if (!message) return
    const { requestId } = message
    last = last.then(async () => {
      const done = await answer({ ...message, channel })
      if (done) reply(requestId === undefined ? done : { ...done, requestId })
    })
  }
}

/** The `ERROR` a failure is told as. What the frame did not foresee is not described to the page. */
export function errorAnswer(error: unknown): Answer {
  const text = error instanceof FrameError ? error.message : 'the frame failed'
  return { type: frameMessages.error, value: `Error: ${text}` }
}

function readMessage(data: unknown): FrameMessage | null {
  if (typeof data !== 'object' || data === null) return null
  return typeof (data as FrameMessage).type === 'string' ? (data as FrameMessage) : null
}
