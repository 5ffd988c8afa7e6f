import { readServerTime } from './api/serverTime.ts'

/** Shortens hex to `0x1c9e…a0d2`. */
export const shorten = (hex: string) => (hex.length > 13 ? `${hex.slice(0, 6)}…${hex.slice(-4)}` : hex)

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

export const toTime = (iso: string) => days.format(new Date(iso))

/** Formats an age such as `3 min ago`, by the server's clock. */
export function toAge(iso: string, now = readServerTime()): string {
  const seconds = Math.round((now - Date.parse(iso)) / 1_000)
  const ago = seconds < 0 ? 'from now' : 'ago'
  const value = Math.abs(seconds)
  if (value < 60) return `${value} s ${ago}`
  if (value < 3_600) return `${Math.round(value / 60)} min ${ago}`
  if (value < 86_400) return `${Math.round(value / 3_600)} h ${ago}`
  return `${Math.round(value / 86_400)} d ${ago}`
}

/** Shows direction-changing characters of untrusted text as marks (UAX #9). */
export const toPlain = (text: string) => text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')

/** Formats a machine word such as `bad_stamp` for people: `Bad stamp`. */
export const toSentenceCase = (word: string) => {
  const text = word.replaceAll('_', ' ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

export const toCount = (value: number | string) => Number(value).toLocaleString('en')

/** Formats wei as ether; a non-zero amount is never shown as 0. */
export function toEther(wei: bigint, significantDigits = 4): string {
  if (wei === 0n) return '0 ETH'
  const ether = Number(wei) / 1e18
  if (ether < 1e-9) return `${wei} wei`
  return `${ether.toLocaleString('en', { maximumSignificantDigits: significantDigits })} ETH`
}

/** Formats a duration: `171 ms`, `2.4 s`, `3 min`, `2 h`, `8 d`. */
export function toDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} min`
  if (ms < 2 * 86_400_000) return `${Math.round(ms / 3_600_000)} h`
  return `${Math.round(ms / 86_400_000)} d`
}
