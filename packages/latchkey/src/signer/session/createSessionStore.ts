import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { isText } from '../isText.ts'
import { isUser } from '../isUser.ts'
import type { Session } from './Session.ts'
import type { TemporarySession } from './TemporarySession.ts'

export type SessionStore = {
  /** The stored session. One past its expiry, or what is no session, is cleared and null is answered. */
  read(): Session | null
  write(session: Session): void
  clear(): void
  /** The mail this browser last asked for. */
  readTemporary(): TemporarySession | null
  writeTemporary(temporary: TemporarySession): void
  clearTemporary(): void
  /** The same mail, also when it has signed somebody in: until they are signed in no more. */
  lastMail(): TemporarySession | null
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
  const read = () => {
    const text = storage.getItem(key)
    const stored = parse(text) as { state?: { session?: unknown } } | null
    const session = stored?.state?.session
    if (text === null || session === null) return null
    if (isSession(session) && session.expirationDateMs > now()) return session
    put(null)
    return null
  }
  const readTemporary = () => toTemporary(parse(temporaryStorage.getItem(temporaryKey)))
  let last: TemporarySession | null = null

  return {
    read,
    write: put,
    clear: () => put(null),
    readTemporary,
    writeTemporary: ({ orgId, otpId, isNewUser }) =>
      temporaryStorage.setItem(temporaryKey, JSON.stringify({ orgId, otpId, isNewUser })),
    clearTemporary: () => temporaryStorage.removeItem(temporaryKey),
    lastMail() {
      last = readTemporary() ?? (read()?.user.orgId === last?.orgId ? last : null)
      return last
    },
  }
}

function toTemporary(value: unknown): TemporarySession | null {
  const { orgId, otpId, isNewUser } = (value ?? {}) as Partial<Record<keyof TemporarySession, unknown>>
  if (!isText(orgId)) return null
  return { orgId, ...(isText(otpId) && { otpId }), ...(isNewUser === true && { isNewUser }) }
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
  const session = value as Partial<Record<'type' | 'user' | 'bundle' | 'expirationDateMs' | 'deviceKey', unknown>>
  if (typeof session.expirationDateMs !== 'number' || !isUser(session.user)) return false
  if (session.deviceKey !== undefined && !isText(session.deviceKey)) return false
  return session.type === 'passkey' || (session.type === 'email' && isText(session.bundle))
}
