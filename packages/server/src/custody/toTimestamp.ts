import type { Timestamp } from 'latchkey-protocol'

/** Returns seconds and nanoseconds as decimal strings (custody protocol § 2.1). */
export function toTimestamp(date: Date): Timestamp {
  const ms = date.getTime()
  return { seconds: String(Math.floor(ms / 1000)), nanos: String((ms % 1000) * 1_000_000) }
}
