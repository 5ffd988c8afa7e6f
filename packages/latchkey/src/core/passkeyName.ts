/** Returns a name of a passkey with its creation time, such as `wallet.example.com, 21 Nov 2026, 10:31`. */
export function passkeyName(label: string, now: Date): string {
  return `${label}, ${now.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}`
}
