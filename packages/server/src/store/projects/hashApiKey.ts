import { createHash } from 'node:crypto'

/** SHA-256 of a project's API key. The keys are random and long, so a plain digest is enough to keep them unreadable. */
export function hashApiKey(apiKey: string): Uint8Array {
  return createHash('sha256').update(apiKey, 'utf8').digest()
}
