import { memoryPlatform, openStorage } from '@latchkey/testkit/wallet/memoryPlatform'
import { expect, test } from 'vitest'
import type { Platform, Succession } from '../web/platform.ts'
import { latchkeyEndpoints } from './endpoints.ts'
import { openSigner } from './openSigner.ts'

const session = JSON.stringify({
  state: {
    session: {
      type: 'passkey',
      user: { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}`, credentialId: 'id' },
      expirationDateMs: Date.now() + 600_000,
    },
  },
  version: 0,
})

function setUp(part: Partial<Platform> = {}) {
  const platform = { ...memoryPlatform(), ...part }
  const client = { connection: { apiKey: 'key' }, endpoints: latchkeyEndpoints('http://127.0.0.1:9') }
  const { signer, start } = openSigner({ page: platform, client, platform, isInUse: () => false })
  const heard: unknown[] = []
  signer.on('statusChanged', (status) => heard.push(status))
  signer.on('disconnected', () => heard.push('disconnected'))
  signer.on('error', ({ code }) => heard.push(code))
  return { signer, start, heard }
}

test('starts signed out without a link or session, and hides loading from listeners', async () => {
  const { signer, start, heard } = setUp()
  expect([signer.status, signer.user, signer.link]).toEqual(['INITIALIZING', null, null])
  await start()
  await start()
  expect(heard).toEqual(['INITIALIZING', 'DISCONNECTED', 'disconnected'])
  const late: string[] = []
  signer.on('disconnected', () => late.push('disconnected'))
  expect(late).toEqual(['disconnected'])
  await expect(signer.lookUpUser('ann@example.com')).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' })
  expect(heard).toEqual(['INITIALIZING', 'DISCONNECTED', 'disconnected'])
  signer.destroy()
})

test('reads a link immediately and only once, and completes it after loading', async () => {
  let reads = 0
  const readLink = () => {
    reads++
    return { bundle: 'bundle', orgId: 'org', isSignup: true }
  }
  const { signer, start, heard } = setUp({ readLink })
  expect(reads).toBe(1)
  expect(signer.link).toEqual({ hasBundle: true, isSignup: true, wasAskedHere: false })
  await start()
  await expect.poll(() => heard.slice(0, 2)).toEqual(['INITIALIZING', 'AUTHENTICATING'])
  await expect.poll(() => heard.length).toBeGreaterThan(2)
  expect(reads).toBe(1)
  signer.destroy()
})

test('reports a pending mail before anything is loaded', () => {
  const storage = openStorage({
    'alchemy-signer-session:temporary': JSON.stringify({
      orgId: 'org',
      email: 'you@example.com',
      endsMs: Date.now() + 60_000,
      otpId: 'otp',
      otpLength: 9,
      isNewUser: true,
    }),
  })
  const { signer } = setUp({ storage: () => storage })
  expect(signer).toMatchObject({ awaitedEmail: 'you@example.com', acceptsCode: true, codeLength: 9, isSignup: true })
  signer.destroy()
})

test('adopts a sign-in of another tab', async () => {
  const storage = openStorage()
  let tell: (key: string | null) => void = () => {}
  const onStorageChange = (listener: typeof tell) => {
    tell = listener
    return () => undefined
  }
  const { signer, start, heard } = setUp({ storage: () => storage, onStorageChange })
  const reasons: unknown[] = []
  signer.on('statusChanged', (_, reason) => reasons.push(reason))
  await start()
  tell('another-key')
  storage.setItem('alchemy-signer-session', session)
  tell('alchemy-signer-session')
  await expect.poll(() => heard.slice(3)).toContain('CONNECTED')
  expect(reasons.at(-1)).toBe('adopted')
  expect(signer.user?.userId).toBe('user')
  signer.destroy()
})

test('refuses an account without a user', () => {
  const { signer } = setUp()
  expect(() => signer.toViemAccount()).toThrow('Signer not authenticated')
  signer.destroy()
})

test('stays signed out when destroyed before its code is loaded', async () => {
  const { signer, start, heard } = setUp({ storage: () => openStorage({ 'alchemy-signer-session': session }) })
  const starting = start()
  signer.destroy()
  await starting
  expect([signer.status, signer.user]).toEqual(['DISCONNECTED', null])
  await expect(signer.authenticate({ type: 'email', email: 'ann@example.com' })).rejects.toMatchObject({
    code: 'ABORTED',
  })
  expect(heard).toEqual(['INITIALIZING'])
})

test('refuses every call after a later signer replaced it, and keeps the stored session', async () => {
  const storage = openStorage({ 'alchemy-signer-session': session })
  let succession: Succession | undefined
  const platform: Platform = {
    ...memoryPlatform(storage),
    claimFrameKey(_, __, given) {
      succession = given
      return true
    },
  }
  const frameUrl = 'http://frame.example'
  const frames = { authFrameUrl: frameUrl, exportFrameUrl: frameUrl, importFrameUrl: frameUrl }
  const config = { custodyUrl: frameUrl, ...frames, rootOrgId: 'root' }
  const endpoints = { signerApiUrl: 'http://127.0.0.1:9', getConfig: async () => config }
  const client = { connection: { apiKey: 'key' }, endpoints }
  const { signer, start } = openSigner({ page: platform, client, platform, isInUse: () => false })
  await start()
  await expect(signer.authenticate({ type: 'email', email: 'ann@example.com' })).rejects.toThrow()
  await expect.poll(() => succession).toBeDefined()
  expect(succession?.giveWay()).toBe(true)
  const conflict = { code: 'SIGNER_CONFLICT' }
  await expect(signer.signMessage('hello')).rejects.toMatchObject(conflict)
  await expect(signer.disconnect()).rejects.toMatchObject(conflict)
  expect(signer.status).toBe('DISCONNECTED')
  expect(storage.entries()['alchemy-signer-session']).toContain('"userId"')
})
