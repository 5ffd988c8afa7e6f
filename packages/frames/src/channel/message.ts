import type { FrameMessage } from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'

/** A message from the page to the frame. */
export type Message = FrameMessage & {
  /** `window`: from a client without a port, such as versions before 2.1 of the documented stamper. */
  channel: 'port' | 'window'
}
export type Reply = { type: string; value: unknown }

/** Longer than any body or bundle of the protocol. */
const maxLength = 1_000_000

/** Returns a value that must be text. */
export function messageText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new FrameError(`the message holds no text: ${what} was expected`)
  if (value.length > maxLength) throw new FrameError(`the message is too long: ${what} was expected`)
  return value
}

/**
 * Returns the organization or user that the page expects in a bundle. Required with a port. Older clients do not send
 * it: it is undefined, and the signed id is accepted.
 */
export function expectedId(message: Message, member: 'organizationId' | 'userId'): string | undefined {
  const value = message[member]
  if (value === undefined && message.channel === 'window') {
    console.warn(`This page does not send the ${member} of a bundle: upgrade its client to have that checked.`)
    return undefined
  }
  return messageText(value, member === 'userId' ? 'the user id' : 'the organization id')
}
