import type { Hex } from 'viem'

/** Shortens hex to `0x1c9e…a0d2`. Word joiners around the ellipsis prevent line breaks. */
export function shortHex(hex: Hex): string {
  return `${hex.slice(0, 6)}\u2060…\u2060${hex.slice(-4)}`
}

/** Formats seconds as `14:21`. */
export function formatClock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Formats milliseconds as `15 minutes`. */
export function formatMinutes(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes === 1 ? '1 minute' : `${minutes} minutes`
}

/** Formats a date as `21 Nov 2026`, in the browser's language. */
export function formatDay(at: number): string {
  return new Date(at).toLocaleDateString(undefined, { dateStyle: 'medium' })
}

/** Formats a time as `14:21`, in the browser's language. */
export function formatTime(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}

/** Returns an error's message as one sentence. */
export function toSentence(error: unknown): string {
  if (!(error instanceof Error)) return 'Something went wrong.'
  return readText(error, 'shortMessage') ?? error.message
}

/** Returns an error's full message, or null if `toSentence` returns the same text. */
export function toDetails(error: unknown): string | null {
  return error instanceof Error && error.message !== toSentence(error) ? error.message : null
}

/** Returns the code of a Latchkey error. */
export function getErrorCode(error: unknown): string | undefined {
  return error instanceof Error ? readText(error, 'code') : undefined
}

function readText(error: Error, member: string): string | undefined {
  const value: unknown = Reflect.get(error, member)
  return typeof value === 'string' ? value : undefined
}
