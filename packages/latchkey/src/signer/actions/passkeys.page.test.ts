import { type SignerWorld, startSignerWorld } from '@latchkey/testkit/signer/startSignerWorld'
import { neutral, vectors } from '@latchkey/testkit/signer/vectors'
import type { Page } from 'playwright-core'
import { recoverMessageAddress } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addAuthenticator } from '../../../../dev/src/testing/addAuthenticator.ts'

let world: SignerWorld

beforeAll(async () => {
  world = await startSignerWorld()
})
afterAll(() => world?.close())
afterEach(() => world.reset())

const add = (tab: Page) =>
  tab.evaluate(() =>
    window.page.signer.addPasskey().then(
      (ids) => ({ ids, code: undefined, message: '' }),
      ({ code, message }: { code: string; message: string }) => ({ ids: undefined, code, message }),
    ),
  )
async function signedIn(): Promise<{ tab: Page; authenticator: addAuthenticator.ReturnType }> {
  const tab = await world.signInByMail()
  return { tab, authenticator: await addAuthenticator(tab) }
}
const seen = (name: string) => world.peer.requests.filter(({ path }) => path.endsWith(`/${name}`))

test('default: the passkey added to an e-mail account signs in to that account', async () => {
  const { tab, authenticator } = await signedIn()
  const { ids } = await add(tab)
  expect(ids).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)])
  expect((await authenticator.credentials())[0]?.userName).toBe('user@example.com')
  expect(await tab.evaluate(() => window.page.signer.status)).toBe('CONNECTED')

  await tab.evaluate(() => window.page.signer.disconnect())
  const user = await tab.evaluate(() => window.page.signer.authenticate({ type: 'passkey', createNew: false }))
  const person = world.peer.person('user@example.com')
  expect(user).toMatchObject({ ...person, email: 'user@example.com', credentialId: expect.any(String) })
  const signature = await tab.evaluate(() => window.page.signer.signMessage('hello'))
  expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(person?.address)
})

test('behavior: the request is that of the documented wire, byte for byte, stamped by the frame', async () => {
  const { tab } = await signedIn()
  await add(tab)
  const [request] = seen('create_authenticators')
  expect(neutral(request?.body ?? '')).toBe(neutral(vectors.capturedTraffic.createAuthenticators))
  const body = JSON.parse(request?.body ?? '')
  expect(body.parameters.authenticators[0].authenticatorName).toBe(`passkey-${body.timestampMs}`)
  expect(request?.headers).toHaveProperty('x-stamp')
  expect(request?.headers).not.toHaveProperty('authorization')
  expect(world.peer.preflights).toContain('content-type,x-client-version,x-stamp')
})

test('behavior: in a passkey session it is stamped by that passkey, on a device without one, which lists where and when', async () => {
  const tab = await world.open()
  const authenticator = await addAuthenticator(tab)
  await tab.evaluate(() => window.page.signer.authenticate({ type: 'passkey', createNew: true, username: 'ann' }))
  const twice = await add(tab)
  expect([twice.code, twice.message.split('\n')[0]]).toEqual([
    'PASSKEY_EXISTS',
    'This device already has a passkey for this account.',
  ])
  expect(seen('create_authenticators')).toEqual([])
  const other = await addAuthenticator(tab, { transport: 'usb' })
  expect((await add(tab)).ids).toHaveLength(1)
  expect((await authenticator.credentials()).map(({ userName }) => userName)).toEqual(['ann'])
  const year = String(new Date().getFullYear())
  expect((await other.credentials())[0]?.userName).toMatch(new RegExp(`^localhost, .*${year}`))
  expect(seen('create_authenticators')[0]?.headers).toHaveProperty('x-stamp-webauthn')
})

test('param: options override the name', async () => {
  const { tab, authenticator } = await signedIn()
  await tab.evaluate(() => window.page.signer.addPasskey({ publicKey: { user: { name: 'My phone' } } }))
  expect((await authenticator.credentials())[0]?.userName).toBe('My phone')
})

describe('an activity', () => {
  test('behavior: that takes its time is polled until it is completed', async () => {
    world.peer.faults.polls = 2
    const { tab } = await signedIn()
    expect((await add(tab)).ids).toHaveLength(1)
    const polls = seen('get_activity')
    expect(polls).toHaveLength(2)
    expect(neutral(polls[0]?.body ?? '')).toBe(neutral(vectors.capturedTraffic.getActivity))
  })

  test.each(['FAILED', 'REJECTED', 'CONSENSUS_NEEDED', 'AUTHENTICATORS_NEEDED'])('error: that ends %s', async (end) => {
    world.peer.faults.ends = `ACTIVITY_STATUS_${end}`
    const { tab } = await signedIn()
    const { code, message } = await add(tab)
    expect(code).toBe('ACTIVITY_FAILED')
    expect(message).toMatch(
      new RegExp(`^Failed to get activity with id [0-9a-f-]{36} \\(status: ACTIVITY_STATUS_${end}\\)\n`),
    )
    expect(seen('get_activity')).toEqual([])
  })

  test('error: that fails while it is polled', async () => {
    world.peer.faults.polls = 1
    world.peer.faults.ends = 'ACTIVITY_STATUS_REJECTED'
    const { tab } = await signedIn()
    expect((await add(tab)).message).toContain('(status: ACTIVITY_STATUS_REJECTED)')
  })
})

test('error: no user is signed in', async () => {
  const tab = await world.open()
  const { code, message } = await add(tab)
  expect(code).toBe('SIGNER_NOT_AUTHENTICATED')
  expect(message).toMatch(/^Signer not authenticated\. Please authenticate to use this signer\n/)
})

test('error: the session key is refused, in the words of the custody service', async () => {
  const { tab } = await signedIn()
  world.peer.expireKeys()
  const { code, message } = await add(tab)
  expect(code).toBe('HTTP_FAILED')
  expect(message).toMatch(/^Turnkey error 3: expired API key \(Details: \[\]\)\n/)
})

test('error: the prompt is closed by a signal', async () => {
  const tab = await world.signInByMail()
  const code = await tab.evaluate(() => {
    const abort = new AbortController()
    setTimeout(() => abort.abort(), 50)
    return window.page.signer.addPasskey({ signal: abort.signal }).catch((error: { code: string }) => error.code)
  })
  expect(code).toBe('PASSKEY_CANCELLED')
  expect(await tab.evaluate(() => window.page.signer.status)).toBe('CONNECTED')
  expect(seen('create_authenticators')).toEqual([])
})
