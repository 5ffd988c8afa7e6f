import { FrameError } from './FrameError.ts'

/** The value of a message that must be text. */
export function messageText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new FrameError(`the message holds no text: ${what} was expected`)
  return value
}
