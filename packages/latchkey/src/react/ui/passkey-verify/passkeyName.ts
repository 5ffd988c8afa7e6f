/**
 * The name under which a device lists the passkey of a new account. Nobody has told theirs yet, so it says where and
 * when: `wallet.example.com, 21 Nov 2026, 10:31`.
 */
export function passkeyName(host: string, now: Date): string {
  return `${host}, ${now.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })}`
}
