import { createHash } from 'node:crypto'
import { isIP } from 'node:net'

/**
 * The relying party id whose SHA-256 an authenticator reported: the host name of an allowed origin or a domain above it
 * (WebAuthn L3 § 5.1.3 step 8; the browser has made sure that it is no public suffix). A name of one label counts only
 * as the host itself, such as `localhost`. Undefined when there is none.
 */
export function findRpId(rpIdHash: Uint8Array, allowedOrigins: readonly string[]): string | undefined {
  const candidates = new Set(allowedOrigins.flatMap((origin) => domains(new URL(origin).hostname)))
  return [...candidates].find((rpId) => createHash('sha256').update(rpId, 'utf8').digest().equals(rpIdHash))
}

function domains(host: string): string[] {
  if (isIP(host) || host.startsWith('[')) return []
  const labels = host.split('.')
  const parents = labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join('.'))
  return [host, ...parents]
}
