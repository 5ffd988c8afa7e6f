import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { isUser } from '../isUser.ts'
import type { Session } from './Session.ts'

export type SessionStore = {
  /** The stored session. One past its expiry is cleared and null is answered. */
  read(): Session | null
  write(session: Session): void
  clear(): void
  /** The organization of the mail this browser last asked for. */
  readTemporary(): { orgId: string } | null
  writeTemporary(temporary: { orgId: string }): void
  clearTemporary(): void
}

export declare namespace createSessionStore {
  type Parameters = {
    /** Storage key; the temporary session is under `{key}:temporary`. */
    key: string
    storage: StoragePort
    /** Always the browser's local storage: the mail link may open in another tab. */
    temporaryStorage: StoragePort
    now?: (() => number) | undefined
  }
  type ReturnType = SessionStore
}

/**
 * Keeps the session in the documented shape, `{"state":{"session":…},"version":0}`, so that a page moved from
 * another library of the same wire finds its people still signed in.
 */
export function createSessionStore(parameters: createSessionStore.Parameters): createSessionStore.ReturnType {
  const { key, storage, temporaryStorage, now = Date.now } = parameters
  const temporaryKey = `${key}:temporary`
  const put = (session: Session | null) => storage.setItem(key, JSON.stringify({ state: { session }, version: 0 }))
  if (storage.getItem(key) === null) put(null)

  return {
    read() {
      const stored = parse(storage.getItem(key))
      const session = (stored as { state?: { session?: unknown } } | null)?.state?.session
      if (session === null || session === undefined) return null
      if (isSession(session) && session.expirationDateMs > now()) return session
      put(null)
      return null
    },
    write: put,
    clear: () => put(null),
    readTemporary() {
      const orgId = (parse(temporaryStorage.getItem(temporaryKey)) as { orgId?: unknown } | null)?.orgId
      return typeof orgId === 'string' && orgId !== '' ? { orgId } : null
    },
    writeTemporary: ({ orgId }) => temporaryStorage.setItem(temporaryKey, JSON.stringify({ orgId })),
    clearTemporary: () => temporaryStorage.removeItem(temporaryKey),
  }
}

function parse(text: string | null): unknown {
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const session = value as { type?: unknown; user?: unknown; bundle?: unknown; expirationDateMs?: unknown }
  if (typeof session.expirationDateMs !== 'number' || !isUser(session.user)) return false
  return session.type === 'passkey' || (session.type === 'email' && typeof session.bundle === 'string')
}
