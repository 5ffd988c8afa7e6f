import { beforeEach, expect, test } from 'vitest'
import { memoryStorage } from '../../core/storage/memoryStorage.ts'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { createSessionStore, describeLink, openSessionStore } from './createSessionStore.ts'
import type { Session } from './Session.ts'

// Captured from the published SDK, which defined this storage format.
const captured =
  '{"state":{"session":{"type":"email","user":{"email":"user@example.com","orgId":"6e7bff6b-f957-443b-9e8b-969f20a823f7","userId":"6dbf685b-a930-4a92-b8a8-760b64a03ed5","address":"0xfD46cf95D433463a641f8E5c55Eb45B7AAFa0490"},"bundle":"rzMTijbW","expirationDateMs":1795247205469}},"version":0}'
const session = JSON.parse(captured).state.session as Session

let storage: StoragePort
let local: StoragePort
let time: number
const key = 'alchemy-signer-session'
const open = () => createSessionStore({ key, storage, temporaryStorage: local, now: () => time })

beforeEach(() => {
  storage = memoryStorage()
  local = memoryStorage()
  time = session.expirationDateMs - 1
})

test('writes and reads the documented text', () => {
  const store = open()
  expect(storage.getItem(key)).toBe('{"state":{"session":null},"version":0}')
  store.write(session)
  expect(storage.getItem(key)).toBe(captured)
  expect(open().read()).toEqual(session)
  store.clear()
  expect(storage.getItem(key)).toBe('{"state":{"session":null},"version":0}')
})

test.each([
  ['localStorage', key, 900_000, undefined],
  ['sessionStorage', 'own', 5_000, { storage: 'sessionStorage', sessionKey: 'own', expirationTimeMs: 5_000 }],
] as const)('keeps the session in the %s under %s for %i ms', (kind, name, lifeMs, config) => {
  const storages = { localStorage: memoryStorage(), sessionStorage: memoryStorage() }
  const store = openSessionStore(config, { storage: (asked) => storages[asked] })
  store.write({ ...session, expirationDateMs: 1 })
  expect(Object.values(storages).filter((each) => each.getItem(name) !== null)).toEqual([storages[kind]])
  expect(storages[kind].getItem(name)).toContain('"expirationDateMs":1')
  expect([store.read(), store.ended()]).toMatchObject([null, { lifeMs }])
})

test('reads a session of type otp as one of a mail link', () => {
  const user = { ...session.user, phone: '+41440000000', solanaAddress: 'So11111111111111111111111111111111111111112' }
  const stored = JSON.stringify({ state: { session: { ...session, type: 'otp', user } }, version: 0 })
  storage.setItem(key, stored)
  expect(open().read()).toEqual({ ...session, user })
  // The published SDK must still be able to read the stored text.
  expect(storage.getItem(key)).toBe(stored)
  time = session.expirationDateMs
  expect(open().read()).toBeNull()
})

test('clears an expired session on read', () => {
  storage.setItem(key, captured)
  time = session.expirationDateMs
  expect(open().read()).toBeNull()
  expect(storage.getItem(key)).toBe('{"state":{"session":null},"version":0}')
})

test('keeps the temporary session in the local storage under its own key', () => {
  const store = open()
  expect(store.readTemporary()).toBeNull()
  store.writeTemporary({ orgId: 'o' })
  expect(local.getItem(`${key}:temporary`)).toBe('{"orgId":"o"}')
  expect(storage.getItem(`${key}:temporary`)).toBeNull()
  expect(store.readTemporary()).toEqual({ orgId: 'o' })
  store.clearTemporary()
  expect(local.getItem(`${key}:temporary`)).toBeNull()
})

test('treats the link of a signed-in account as no sign-up', () => {
  const store = open()
  const link = { bundle: 'b', orgId: session.user.orgId, isSignup: true }
  const described = { hasBundle: true, isSignup: true, wasAskedHere: false }
  expect(describeLink(link, store)).toEqual(described)
  store.write(session)
  expect(describeLink(link, store)).toEqual({ ...described, isSignup: false })
  expect(describeLink({ ...link, orgId: 'another' }, store)).toEqual(described)
  store.writeTemporary({ orgId: 'o' })
  expect(describeLink({ isSignup: false }, store)).toEqual({ hasBundle: false, isSignup: false, wasAskedHere: true })
  expect(describeLink(null, store)).toBeNull()
})

test('returns the address of the last mail until it expires', () => {
  const store = open()
  expect(store.mail().awaitedEmail).toBeNull()
  store.writeTemporary({ orgId: 'o', email: 'you@example.com', endsMs: time + 1 })
  expect(open().mail().awaitedEmail).toBe('you@example.com')
  time += 1
  expect(store.mail().awaitedEmail).toBeNull()
  local.setItem(`${key}:temporary`, '{"orgId":"o","email":"you@example.com","endsMs":"9"}')
  expect(store.readTemporary()).toEqual({ orgId: 'o' })
})

test('remembers the last mail while its user stays signed in', () => {
  const store = open()
  const mail = { orgId: session.user.orgId, otpId: 'c', isNewUser: true }
  expect(store.lastMail()).toBeNull()
  store.writeTemporary(mail)
  expect([store.lastMail(), open().lastMail()]).toEqual([mail, mail])
  store.rememberMail()
  store.write(session)
  store.clearTemporary()
  expect([store.readTemporary(), store.lastMail(), open().lastMail()]).toEqual([null, mail, null])
  store.clear()
  expect(store.lastMail()).toBeNull()
  store.rememberMail()
  store.write(session)
  expect(store.lastMail()).toBeNull()
})

test('reads the last mail without changing anything', () => {
  const store = open()
  store.writeTemporary({ orgId: session.user.orgId, isNewUser: true })
  storage.setItem(key, captured.replace('1795247205469', '1'))
  expect(store.lastMail()?.isNewUser).toBe(true)
  store.clearTemporary()
  expect(store.lastMail()).toBeNull()
  expect(storage.getItem(key)).toContain('user@example.com')
})

test('forgets the last mail when another user signs in', () => {
  const store = open()
  store.writeTemporary({ orgId: session.user.orgId, isNewUser: true })
  store.write(session)
  store.rememberMail()
  expect(store.lastMail()?.isNewUser).toBe(true)
  store.clearTemporary()
  store.write({ ...session, user: { ...session.user, orgId: 'of another person' } })
  expect(store.lastMail()).toBeNull()
})

test('clears a session with any member of another type', () => {
  const email = { ...session, deviceKey: '02' } as Record<string, unknown>
  const passkey = { type: 'passkey', user: { ...session.user, credentialId: 'c' }, expirationDateMs: time + 9 }
  const optional = new Set(['email', 'credentialId', 'deviceKey'])
  for (const whole of [email, passkey as Record<string, unknown>]) {
    storage.setItem(key, JSON.stringify({ state: { session: whole }, version: 0 }))
    expect(open().read()).toEqual(whole)
    const members = Object.keys(whole).map((name) => [name] as const)
    const inUser = Object.keys(whole.user as object).map((name) => ['user', name] as const)
    for (const path of [...members, ...inUser]) {
      for (const value of [null, 5, true, {}, [], ...(optional.has(path.at(-1) ?? '') ? [] : [undefined, ''])]) {
        const broken = structuredClone(whole)
        const holder = (path.length === 2 ? broken.user : broken) as Record<string, unknown>
        holder[path.at(-1) ?? ''] = value
        storage.setItem(key, JSON.stringify({ state: { session: broken }, version: 0 }))
        expect(open().read(), `${path.join('.')} ${JSON.stringify(value)}`).toBeNull()
        expect(storage.getItem(key)).toBe('{"state":{"session":null},"version":0}')
      }
    }
  }
})

test('clears stored text that is not a session', () => {
  const user = session.user
  const broken = [
    '',
    '{',
    'null',
    '5',
    '{"state":{}}',
    JSON.stringify({ state: { session: { ...session, type: 'other' } } }),
    JSON.stringify({ state: { session: { ...session, user: { ...user, address: '0x1' } } } }),
  ]
  for (const text of broken) {
    storage.setItem(key, text)
    expect(open().read()).toBeNull()
    expect(storage.getItem(key)).toBe('{"state":{"session":null},"version":0}')
  }
  for (const text of ['{', 'null', '5', '[1]', '{"orgId":5}', '{"orgId":""}']) {
    local.setItem(`${key}:temporary`, text)
    expect(open().readTemporary()).toBeNull()
  }
  local.setItem(`${key}:temporary`, '{"orgId":"o","otpId":5,"isNewUser":"true"}')
  expect(open().readTemporary()).toEqual({ orgId: 'o' })
})

test('explains an expired session until the next sign-in, also when another tab cleared it', () => {
  const end = { reason: 'time', email: 'user@example.com', isPasskey: false, lifeMs: 900_000 }
  storage.setItem(key, captured)
  const store = open()
  const other = open()
  expect([store.read(), store.ended(), other.read()]).toEqual([session, null, session])
  time = session.expirationDateMs
  expect([store.read(), store.ended()]).toEqual([null, end])
  store.clear()
  expect([other.read(), other.ended()]).toEqual([null, end])
  other.write({ ...session, expirationDateMs: time + 1 })
  expect(other.ended()).toBeNull()
  store.dropEnded()
  expect(store.ended()).toBeNull()
})
