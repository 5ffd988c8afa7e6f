import { fallbackStorage } from '../../core/storage/fallbackStorage.ts'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import type { Link, Platform } from '../../web/platform.ts'
import { isCodeLength, isText, isUser } from '../guards.ts'
import type { EndedSession, SessionConfig, Signer } from '../types.ts'
import type { Session, TemporarySession } from './Session.ts'

export type SessionStore = {
  /** The stored session; null when there is none. One past its expiry, or what is no session, is cleared. */
  read(): Session | null
  write(session: Session): void
  clear(): void
  /** The session before, when it ended by itself. */
  ended(): EndedSession | null
  /** A session was ended from elsewhere. */
  noteEnded(session: Session): void
  /** The person knows of it, or has signed in or out since. */
  dropEnded(): void
  /** The last mail this browser requested, until it is used. */
  readTemporary(): TemporarySession | null
  writeTemporary(temporary: TemporarySession): void
  clearTemporary(): void
  /** The last mail, also after it was used: for as long as the person it signed in stays signed in. */
  lastMail(): TemporarySession | null
  /** What signers say of that mail. */
  mail(): Pick<Signer, 'awaitedEmail' | 'acceptsCode' | 'codeLength' | 'isSignup'>
  /** Keeps the last mail in memory, from where `lastMail` still knows it when it was used. */
  rememberMail(): void
}

/** Life of a session where the app says nothing. */
export const defaultSessionMs = 900_000

/** Storage key of the session. */
export function sessionKey(sessionConfig: SessionConfig | undefined): string {
  return sessionConfig?.sessionKey ?? 'alchemy-signer-session'
}

/** The store an app's configuration names, in this page. */
export function openSessionStore(
  sessionConfig: SessionConfig | undefined,
  platform: Pick<Platform, 'storage'>,
): SessionStore {
  const storage = sessionConfig?.storage ?? 'localStorage'
  return createSessionStore({
    key: sessionKey(sessionConfig),
    storage: typeof storage === 'string' ? platform.storage(storage) : fallbackStorage(storage),
    temporaryStorage: platform.storage('localStorage'),
    lifeMs: sessionConfig?.expirationTimeMs,
  })
}

/** What a signer says of the link of its page. It is no sign-up of an account that is signed in already. */
export function describeLink(link: Link | null, store: SessionStore): Signer['link'] {
  if (!link) return null
  const session = store.read()
  const isUsed = session !== null && session.user.orgId === link.orgId
  return {
    hasBundle: link.bundle !== undefined,
    isSignup: link.isSignup && !isUsed,
    wasAskedHere: store.readTemporary() !== null,
  }
}

export declare namespace createSessionStore {
  type Parameters = {
    /** Storage key; the temporary session is under `{key}:temporary`. */
    key: string
    storage: StoragePort
    /** Always the browser's local storage: the mail link may open in another tab. */
    temporaryStorage: StoragePort
    /**
     * Life of a session, in milliseconds.
     * @default 900_000
     */
    lifeMs?: number | undefined
    now?: (() => number) | undefined
  }
  type ReturnType = SessionStore
}

/**
 * Keeps the session in the documented shape, `{"state":{"session":…},"version":0}`, so that a page moved from
 * another library of the same wire finds its people still signed in.
 */
export function createSessionStore(parameters: createSessionStore.Parameters): createSessionStore.ReturnType {
  const { key, storage, temporaryStorage, now = Date.now, lifeMs = defaultSessionMs } = parameters
  const temporaryKey = `${key}:temporary`
  const put = (session: Session | null) => storage.setItem(key, JSON.stringify({ state: { session }, version: 0 }))
  if (storage.getItem(key) === null) put(null)
  const parseStored = (text: string | null) => (parse(text) as { state?: { session?: unknown } } | null)?.state?.session
  const toValid = (stored: unknown) => {
    const session = toKnownType(stored)
    return isSession(session) && session.expirationDateMs > now() ? session : null
  }
  const end = createEnd(now, lifeMs)
  /** Read last: another tab may have cleared it at its end. */
  let known: Session | null = null
  const set = (session: Session | null) => {
    known = session
    put(session)
  }
  const read = () => {
    const text = storage.getItem(key)
    const stored = parseStored(text)
    const session = toValid(stored)
    if (!session) end.note(stored === null ? known : toKnownType(stored), 'time')
    known = session
    if (text !== null && stored !== null && !session) put(null)
    return session
  }
  const readTemporary = () => toTemporary(parse(temporaryStorage.getItem(temporaryKey)))
  let remembered: TemporarySession | null = null
  /** The mail that this tab asked for. */
  let asked: TemporarySession | null = null
  const lastMail = () => {
    const signedIn = toValid(parseStored(storage.getItem(key)))
    return readTemporary() ?? (signedIn?.user.orgId === remembered?.orgId ? remembered : null)
  }

  return {
    read,
    write(session) {
      end.drop()
      set(session)
    },
    clear: () => set(null),
    ended: end.read,
    noteEnded: (session) => end.note(session, 'elsewhere'),
    dropEnded: end.drop,
    readTemporary,
    writeTemporary(temporary) {
      asked = temporary
      temporaryStorage.setItem(temporaryKey, JSON.stringify(toTemporary(temporary)))
    },
    clearTemporary: () => temporaryStorage.removeItem(temporaryKey),
    lastMail,
    mail() {
      const last = readTemporary()
      // Asked for by another tab, or before this page was loaded again: its code opens nothing here.
      const isUsable = last?.isTabOnly !== true || last.otpId === asked?.otpId
      const { email, endsMs = 0, otpId, otpLength = 6 } = (isUsable && last) || {}
      const acceptsCode = otpId !== undefined
      return {
        awaitedEmail: email !== undefined && endsMs > now() ? email : null,
        acceptsCode,
        codeLength: acceptsCode ? otpLength : null,
        isSignup: lastMail()?.isNewUser === true,
      }
    },
    rememberMail() {
      remembered = lastMail()
    },
  }
}

/** How the last session ended that no one ended here. */
function createEnd(now: () => number, lifeMs: number) {
  let ended: EndedSession | null = null
  return {
    read: () => ended,
    note(session: unknown, reason: EndedSession['reason']): void {
      if (!isSession(session) || (reason === 'time' && session.expirationDateMs > now())) return
      const { email } = session.user
      ended = { reason, ...(email !== undefined && { email }), isPasskey: session.type === 'passkey', lifeMs }
    },
    drop(): void {
      ended = null
    },
  }
}

function toTemporary(value: unknown): TemporarySession | null {
  const { orgId, email, endsMs, otpId, otpLength, olderOtpId, isNewUser, isTabOnly } = (value ?? {}) as Partial<
    Record<keyof TemporarySession, unknown>
  >
  if (!isText(orgId)) return null
  return {
    orgId,
    ...(isText(email) && typeof endsMs === 'number' && { email, endsMs }),
    ...(isText(otpId) && { otpId, ...(isCodeLength(otpLength) && { otpLength }) }),
    ...(isText(olderOtpId) && { olderOtpId }),
    ...(isNewUser === true && { isNewUser }),
    ...(isTabOnly === true && { isTabOnly }),
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

/** Later clients of the wire call the session of a mailed code `otp`. It rests on a bundle as that of a mailed link does. */
function toKnownType(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'otp'
    ? { ...value, type: 'email' }
    : value
}

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const session = value as Partial<Record<'type' | 'user' | 'bundle' | 'expirationDateMs' | 'deviceKey', unknown>>
  if (typeof session.expirationDateMs !== 'number' || !isUser(session.user)) return false
  if (session.deviceKey !== undefined && !isText(session.deviceKey)) return false
  return session.type === 'passkey' || (session.type === 'email' && isText(session.bundle))
}
