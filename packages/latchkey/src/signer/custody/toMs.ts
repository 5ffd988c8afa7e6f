import type { Timestamp } from '../../wire/custody.ts'

/** Milliseconds since 1970 of a time of the custody wire; 0 where it has none. */
export function toMs(timestamp: Timestamp | undefined): number {
  return Number(timestamp?.seconds ?? 0) * 1000 + Math.floor(Number(timestamp?.nanos ?? 0) / 1e6)
}
