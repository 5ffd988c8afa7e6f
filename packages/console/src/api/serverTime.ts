/**
 * Minimum clock difference that counts. Smaller differences come from the request's duration and the header's whole
 * seconds.
 */
const noticeableMs = 5_000

let aheadMs = 0

/**
 * Records the difference between the server's clock and this machine's, from the header `Date` of a response (RFC 9110
 * § 6.6.1).
 */
export function noteServerTime(date: string | null): void {
  const seconds = Date.parse(date ?? '')
  if (Number.isNaN(seconds)) return
  const difference = seconds - Date.now()
  aheadMs = Math.abs(difference) < noticeableMs ? 0 : difference
}

/** Returns the milliseconds by which the server's clock is ahead of this machine's; 0 if they agree. */
export const readClockSkew = (): number => aheadMs

/** Milliseconds by which a devnet's clock was moved ahead. */
let devnetAheadMs = 0

export function noteDevnetTime(ms: number): void {
  devnetAheadMs = ms
}

/** Returns the server's time in milliseconds since the epoch, used for ages and operators' stamps. */
export const readServerTime = (): number => Date.now() + aheadMs + devnetAheadMs
