import { createHash } from 'node:crypto'
import { type Intent, toIntentJson } from 'latchkey-protocol'

/** Maximum number of characters of canonical JSON in an entry of the audit log. */
const maxLogged = 16_384

/**
 * Returns the intents of a request's payloads for the audit log: the canonical JSON of one intent, or of a list of
 * several. A longer text becomes `{ sha256, start }`: its SHA-256 in hex and its first characters.
 */
export function toLoggedIntent(intents: readonly Intent[]): string {
  const texts = intents.map(toIntentJson)
  const [first = ''] = texts
  const json = texts.length === 1 ? first : `[${texts.join(',')}]`
  if (json.length <= maxLogged) return json
  const sha256 = createHash('sha256').update(json, 'utf8').digest('hex')
  return JSON.stringify({ sha256, start: json.slice(0, maxLogged) })
}
