/**
 * The name under which a device lists a passkey whose person has no other: where it was made, and when.
 * `wallet.example.com, 21 Nov 2026, 10:31`.
 */
export function passkeyName(host: string, now: Date): string {
  return `${host}, ${now.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}`
}
