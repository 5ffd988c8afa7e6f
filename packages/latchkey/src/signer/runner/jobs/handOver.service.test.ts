import { frameKey, type Script, startScript, type Tab, usualFrame } from '@latchkey/testkit/signer/startScript'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { DeviceKeyPort } from '../../../web/platform.ts'

let script: Script
const tabs: Tab[] = []
beforeEach(async () => {
  script = await startScript()
})
afterEach(async () => {
  for (const { signer } of tabs.splice(0)) signer.destroy()
  await script.close()
})

const email = 'ann@example.com'
const channel = 'alchemy-signer-session:link'

/** Creates key storage that all tabs of a browser share. */
function createKeys(): DeviceKeyPort {
  const kept = new Map<string, CryptoKeyPair>()
  return {
    put: async (name, pair) => void kept.set(name, pair),
    get: async (name) => kept.get(name) ?? null,
    remove: async (name) => void kept.delete(name),
  }
}
let keys: DeviceKeyPort
beforeEach(() => {
  keys = createKeys()
})

const publicKey = `02${'ab'.repeat(32)}`
async function lend(extractable = false) {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
  return { publicKey, keyPair: await crypto.subtle.generateKey(algorithm, extractable, ['sign', 'verify']) }
}

/** Opens a tab whose frame can decrypt only `bundle`, because the browser does not store its key. */
function open(
  bundle: string,
  { link, lent = lend() }: { link?: string; lent?: Promise<unknown> } = {},
): Tab & { injected: unknown[] } {
  const injected: unknown[] = []
  const tab = script.open({
    isKept: false,
    platform: {
      deviceKeys: keys,
      ...(link !== undefined && { readLink: () => ({ bundle: link, orgId: 'org', isSignup: false }) }),
    },
    frame(type, value) {
      if (type === 'LATCHKEY_LEND_KEY') return lent
      if (type !== 'INJECT_CREDENTIAL_BUNDLE') return usualFrame(type, value)
      injected.push(value)
      return value === bundle
    },
  })
  tabs.push(tab)
  return { ...tab, injected }
}

async function ask(bundle: string, address = email, options: { lent?: Promise<unknown> } = {}) {
  const tab = open(bundle, options)
  const signedIn = tab.signer.authenticate({ type: 'email', email: address })
  signedIn.catch(() => undefined)
  await expect.poll(() => tab.signer.status).toBe('AWAITING_EMAIL_AUTH')
  return { ...tab, signedIn }
}

function outcome({ signer }: Tab): Promise<string> {
  return new Promise((resolve) => {
    signer.on('error', ({ code }) => resolve(code))
    signer.on('statusChanged', (status, reason) => status === 'CONNECTED' && resolve(`CONNECTED ${reason}`))
  })
}

test('completes in the requesting tab and shares the session with the tab of the link', async () => {
  const first = await ask('mine')
  const second = open('other', { link: 'mine' })
  expect(await outcome(second)).toBe('CONNECTED adopted')
  expect(await first.signedIn).toMatchObject({ orgId: 'org' })
  expect(first.signer.status).toBe('CONNECTED')
  const stored = String(script.storage.get('alchemy-signer-session'))
  expect(JSON.parse(stored).state.session).toMatchObject({ type: 'email', bundle: 'mine', deviceKey: publicKey })
  // After a reload and in other tabs, no frame is needed.
  expect(await outcome(open('new'))).toBe('CONNECTED restored')
  expect(await outcome(open('new', { link: 'mine' }))).toBe('CONNECTED signedIn')
})

test('completes in the requesting tab that has the key', async () => {
  const other = await ask('theirs')
  const first = await ask('mine')
  expect(await outcome(open('link', { link: 'mine' }))).toBe('CONNECTED adopted')
  await first.signedIn
  await other.signedIn
  expect(other.injected).toEqual(['mine'])
})

test('keeps a tab waiting for the mail of another user', async () => {
  const bob = await ask('bob', 'bob@example.com')
  expect(await outcome(open('link', { link: 'nobody' }))).toBe('LINK_TAB_GONE')
  expect(bob.signer.status).toBe('AWAITING_EMAIL_AUTH')
  expect(await outcome(open('link', { link: 'bob' }))).toBe('CONNECTED adopted')
  await bob.signedIn
})

test('waits for a mail that is being requested again', async () => {
  const first = await ask('mine')
  script.reply('/signer/v1/auth', 'never')
  const again = first.signer.authenticate({ type: 'email', email })
  again.catch(() => undefined)
  const link = outcome(open('link', { link: 'mine' }))
  await expect.poll(() => first.signer.status).toBe('AUTHENTICATING')
  // The new e-mail arrives while the link's tab is still waiting.
  script.reply('/signer/v1/auth', 'usual')
  void first.signer.authenticate({ type: 'email', email }).catch(() => undefined)
  expect(await link).toBe('CONNECTED adopted')
})

test('reports that the requesting tab is closed', async () => {
  const first = await ask('mine')
  first.signer.destroy()
  expect(await outcome(open('link', { link: 'mine' }))).toBe('LINK_TAB_GONE')
})

test('fails when no tab of this browser asked', async () => {
  expect(await outcome(open('link', { link: 'mine' }))).toBe('BUNDLE_INJECTION_FAILED')
})

test('reports a link that the service refuses, and allows another try when it is unreachable', async () => {
  await ask('mine')
  script.reply('/signer/v1/whoami', { status: 401, body: { code: 'UNAUTHENTICATED', message: 'no' } })
  expect(await outcome(open('link', { link: 'mine' }))).toBe('LINK_EXPIRED')
  script.reply('/signer/v1/whoami', { status: 503, body: {} })
  expect(await outcome(open('link', { link: 'mine' }))).toBe('NETWORK_UNREACHABLE')
  script.reply('/signer/v1/whoami', 'usual')
  expect(await outcome(open('link', { link: 'mine' }))).toBe('CONNECTED adopted')
})

test('keeps the session in the requesting tab when the page stores no keys', async () => {
  const first = await ask('mine', email, { lent: Promise.resolve(null) })
  expect(await outcome(open('link', { link: 'mine' }))).toBe('LINK_HANDED_OVER')
  await first.signedIn
  expect(String(script.storage.get('alchemy-signer-session'))).not.toContain('deviceKey')
})

test('never keeps an extractable key', async () => {
  const first = await ask('mine', email, { lent: lend(true) })
  expect(await outcome(open('link', { link: 'mine' }))).toBe('LINK_HANDED_OVER')
  await first.signedIn
  expect(await keys.get(publicKey)).toBeNull()
})

test('leaks nothing to a listening script and starts no sign-in by its messages', async () => {
  const first = await ask('mine')
  const heard: unknown[] = []
  const script2 = script.join(channel, (message) => heard.push(message))
  for (const bundle of [undefined, 5, '', 'x'.repeat(5_000), {}, null])
    script2.post({ type: 'offer', id: 'a', bundle, orgId: 'org' })
  for (const odd of [null, 1, 'offer', [], { type: 'offer' }, { type: 'done', id: 'a', tab: 'b' }]) script2.post(odd)
  script2.post({ type: 'offer', id: 'b', bundle: 'forged', orgId: 'org' })
  await expect
    .poll(() => heard)
    .toMatchObject([
      { type: 'trying', id: 'b' },
      { type: 'foreign', id: 'b' },
    ])
  expect(first.injected).toEqual(['forged'])
  expect(first.signer.status).toBe('AWAITING_EMAIL_AUTH')
  expect(await outcome(open('link', { link: 'mine' }))).toBe('CONNECTED adopted')
  const spoken = JSON.stringify(heard)
  for (const secret of [frameKey, publicKey, email]) expect(spoken).not.toContain(secret)
  script2.close()
})

test('ignores a forged reply', async () => {
  const script2 = script.join(channel, (message) => {
    const { id } = message as { id: string }
    script2.post({ type: 'done', id, tab: 'forged' })
  })
  const second = open('link', { link: 'mine' })
  expect(await outcome(second)).toBe('LINK_HANDED_OVER')
  expect(second.signer.user).toBeNull()
  script2.close()
})

test('offers and accepts nothing when the browser keeps the key of the frame', async () => {
  const heard: unknown[] = []
  const script2 = script.join(channel, (message) => heard.push(message))
  const first = script.open()
  tabs.push(first)
  void first.signer.authenticate({ type: 'email', email }).catch(() => undefined)
  await expect.poll(() => first.signer.status).toBe('AWAITING_EMAIL_AUTH')
  script2.post({ type: 'offer', id: 'a', bundle: 'mine', orgId: 'org' })
  const second = script.open({
    platform: { readLink: () => ({ bundle: 'x', orgId: 'org', isSignup: false }) },
    frame: (type, value) => (type === 'INJECT_CREDENTIAL_BUNDLE' ? false : usualFrame(type, value)),
  })
  tabs.push(second)
  expect(await outcome(second)).toBe('BUNDLE_INJECTION_FAILED')
  expect(heard).toEqual([])
  script2.close()
})

test('asks for a code only in the tab whose frame has its key', async () => {
  const first = await ask('mine')
  expect([first.signer.awaitedEmail, first.signer.acceptsCode]).toEqual([email, true])
  const reloaded = open('other')
  expect([reloaded.signer.awaitedEmail, reloaded.signer.acceptsCode, reloaded.signer.codeLength]).toEqual([
    null,
    false,
    null,
  ])
})
