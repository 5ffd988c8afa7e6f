import { FrameError } from '../FrameError.ts'

/** Far more than any body or bundle of the wire. */
const maxLength = 1_000_000

/** The value of a message that must be text. */
export function messageText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new FrameError(`the message holds no text: ${what} was expected`)
  if (value.length > maxLength) throw new FrameError(`the message is too long: ${what} was expected`)
  return value
}
