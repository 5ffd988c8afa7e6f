const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** A moment for people, in UTC: nobody knows the reader's time zone. Undefined for what is no moment. */
export function formatTime(ms: number): string | undefined {
  return Number.isFinite(ms) ? `${format.format(ms)} UTC` : undefined
}
