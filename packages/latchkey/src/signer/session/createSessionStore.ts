import { fallbackStorage } from '../../core/storage/fallbackStorage.ts'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import type { Link, Platform } from '../../web/platform.ts'
import { isCodeLength, isText, isUser } from '../guards.ts'
import type { EndedSession, SessionConfig, Signer } from '../types.ts'
import type { Session, TemporarySession } from './Session.ts'

export type SessionStore = {
  /** Returns the stored session; null if there is none. Clears an expired or invalid session. */
  read(): Session | null
  write(session: Session): void
  clear(): void
  /** Returns the previous session if it ended without a sign-out here. */
  ended(): EndedSession | null
  /** Records that a session was ended elsewhere. */
  noteEnded(session: Session): void
  /** Clears the ended session: the user has seen it, or has signed in or out since. */
  dropEnded(): void
  /** Returns this browser's last requested e-mail, until it is used. */
  readTemporary(): TemporarySession | null
  writeTemporary(temporary: TemporarySession): void
  clearTemporary(): void
  /** Returns the last e-mail, even after it was used, until its user signs out. */
  lastMail(): TemporarySession | null
  /** Returns the signer's members that describe the last e-mail. */
  mail(): Pick<Signer, 'awaitedEmail' | 'acceptsCode' | 'codeLength' | 'isSignup'>
  /** Keeps the last e-mail in memory, so that `lastMail` still returns it after use. */
  rememberMail(): void
}

/** Default session lifetime. */
export const defaultSessionMs = 900_000

/** Returns the storage key of the session. */
export function sessionKey(sessionConfig: SessionConfig | undefined): string {
  return sessionConfig?.sessionKey ?? 'alchemy-signer-session'
}

/** Opens the session store that an app's configuration selects, in this page. */
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

/** Describes the link of the page. The link is not a sign-up if its account is already signed in. */
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
    /** Always the browser's local storage: the e-mail link may open in another tab. */
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
 * Creates the session store. Uses the documented shape, `{"state":{"session":…},"version":0}`, so that users stay
 * signed in when a page migrates from another library of the same wire.
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
  /** Session that was read last, because another tab may have cleared the storage when the session ended. */
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
      // Another tab requested the e-mail, or this tab did before a reload: its code cannot be used here.
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

/** Tracks how the last session ended, if not by a sign-out here. */
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
 * Later clients of the wire name the session of an e-mailed code `otp`. Like that of an e-mailed link, it uses a
 * bundle.
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
