import { createHash } from 'node:crypto'
import { activityTypes, headers } from 'latchkey/wire'
import { verifyStamp } from '../stamps/verifyStamp.ts'
import { readCoseKey, verifySignature } from '../webauthn/coseKey.ts'
import type { LogEntry } from './logEntry.ts'

/**
 * Whether the stamp of a log entry was made over its body by its credential. Origin and counter of a passkey were looked
 * at when it was used; here only the signature counts (WebAuthn L3 § 7.2 steps 11 and 21). Only a
 * sign-in by a code has none: its credential is the one of the mail, and only the chain vouches for it.
 */
export function isStampGenuine(entry: Pick<LogEntry, 'type' | 'body' | 'stamp' | 'credential_public_key'>): boolean {
  if (entry.stamp === '') return entry.type === activityTypes.otpAuth
  const [name = '', value = ''] = entry.stamp.split(/: (.*)/s)
  if (name !== headers.apiKeyStamp && name !== headers.webauthnStamp) return false
  try {
    const stamp = verifyStamp(new Headers([[name, value]]), entry.body)
    if (stamp.kind === 'api_key') return stamp.publicKey === entry.credential_public_key
    const { authenticatorData, clientDataJson, signature } = stamp.assertion
    const client: { challenge?: unknown } = JSON.parse(Buffer.from(clientDataJson).toString('utf8'))
    if (client.challenge !== Buffer.from(stamp.challenge).toString('base64url')) return false
    const key = readCoseKey(Buffer.from(entry.credential_public_key, 'hex'))
    const hash = createHash('sha256').update(clientDataJson).digest()
    return key !== undefined && verifySignature(key, Buffer.concat([authenticatorData, hash]), signature)
  } catch {
    return false
  }
}
