import { fallbackStorage } from '../../core/storage/fallbackStorage.ts'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import type { Link, Platform } from '../../web/platform.ts'
import { isCodeLength, isText, isUser } from '../guards.ts'
import type { EndedSession } from '../pending.ts'
import type { SessionConfig, Signer } from '../types.ts'
import type { Session, TemporarySession } from './Session.ts'

export type SessionStore = {
  /** Returns the stored session; null if there is none. Clears an expired or invalid session. */
  read(): Session | null
  write(session: Session): void
  clear(): void
  /** Returns the previous session if it ended without a sign-out in this browser. */
  ended(): EndedSession | null
  /** Records that the session was ended elsewhere. */
  noteEnded(session: Session): void
  /** Clears the ended session, once the user has seen it or has signed in or out. */
  dropEnded(): void
  /** Returns this browser's last requested e-mail until its link or code is used. */
  readTemporary(): TemporarySession | null
  writeTemporary(temporary: TemporarySession): void
  clearTemporary(): void
  /** Returns the last requested e-mail, even after its use, until the user signs out. */
  lastMail(): TemporarySession | null
  /** Returns the signer's properties about the last e-mail. */
  mail(): Pick<Signer, 'awaitedEmail' | 'acceptsCode' | 'codeLength' | 'isSignup'>
  /** Copies the last e-mail to memory, so that `lastMail` still returns it after its use. */
  rememberMail(): void
}

/** Default session lifetime. */
export const defaultSessionMs = 900_000

/** Returns the storage key of the session. */
export function sessionKey(sessionConfig: SessionConfig | undefined): string {
  return sessionConfig?.sessionKey ?? 'alchemy-signer-session'
}

/** Opens the session store for an app's configuration. */
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

/** Returns `signer.link`. Does not report a sign-up if the account is already signed in. */
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
    /** Local storage, even if the session uses another storage: the e-mail link may open in another tab. */
    temporaryStorage: StoragePort
    /**
     * Session lifetime, in milliseconds.
     * @default 900_000
     */
    lifeMs?: number | undefined
    now?: (() => number) | undefined
  }
  type ReturnType = SessionStore
}

/**
 * Creates the session store. Uses the published SDK's format, `{"state":{"session":…},"version":0}`, so that users stay
 * signed in when an app migrates.
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
  /** Session that was read last. When a session ends, another tab may have cleared it from storage. */
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
  /** E-mail requested by this tab. */
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
      // For a tab-only e-mail, the code works only in the tab that requested it, and only until a reload.
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

/** Tracks how the last session ended, unless this tab signed out. */
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

/**
 * Converts the session type `otp`, which later clients of this protocol store after a sign-in by code, to `email`. Both
 * use a bundle.
 */
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
