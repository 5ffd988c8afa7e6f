import type { FrameMessage } from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'

/** A message from the page to the frame. */
export type Message = FrameMessage & {
  /** `window`: sent by a client without a port, such as a published stamper before version 2.1. */
  channel: 'port' | 'window'
}
export type Reply = { type: string; value: unknown }

/** Maximum length, above that of all bodies and bundles. */
const maxLength = 1_000_000

/** Checks that a value is text and returns it. */
export function messageText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new FrameError(`the message holds no text: ${what} was expected`)
  if (value.length > maxLength) throw new FrameError(`the message is too long: ${what} was expected`)
  return value
}

/**
 * Returns the organization or user id that the page expects in a bundle. Clients with a port must send the id. Older
 * clients do not; then the result is undefined, and the signed id is accepted.
 */
export function expectedId(message: Message, member: 'organizationId' | 'userId'): string | undefined {
  const value = message[member]
  if (value === undefined && message.channel === 'window') {
    console.warn(`This page does not send the ${member} of a bundle: upgrade its client to have that checked.`)
    return undefined
  }
  return messageText(value, member === 'userId' ? 'the user id' : 'the organization id')
}
