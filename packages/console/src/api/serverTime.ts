/** Less than that is the time of a request, and a header of whole seconds. */
const noticeableMs = 5_000

let aheadMs = 0

/** Notes by the header `Date` of a response how far the server's clock is from this machine's (RFC 9110 § 6.6.1). */
export function noteServerTime(date: string | null): void {
  const seconds = Date.parse(date ?? '')
  if (Number.isNaN(seconds)) return
  const difference = seconds - Date.now()
  aheadMs = Math.abs(difference) < noticeableMs ? 0 : difference
}

/** Milliseconds by which the server's clock is ahead of this machine's; 0 where they agree. */
export const readClockSkew = (): number => aheadMs

/** A devnet's clock can be moved ahead of the machine's. */
let devnetAheadMs = 0

export function noteDevnetTime(ms: number): void {
  devnetAheadMs = ms
}

/** The server's time, milliseconds since the epoch: ages go by it, and what an operator stamps. */
export const readServerTime = (): number => Date.now() + aheadMs + devnetAheadMs
