/** Returns the default name of a passkey: host and creation time, such as `wallet.example.com, 21 Nov 2026, 10:31`. */
export function passkeyName(host: string, now: Date): string {
  return `${host}, ${now.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}`
}
