import { addAuthenticator } from 'latchkey-dev/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Listening, listen } from './listen.ts'
import { authenticate, newEmail, refusal, sign, statusOf, worldTabs } from './worldTabs.ts'

const tabs = worldTabs()
const { open, ask } = tabs

describe('by passkey', () => {
  const createNew = { type: 'passkey', createNew: true, username: 'ann' } as const
  const logIn = { type: 'passkey', createNew: false } as const

  test('default: two passkeys of two people: each signs in as its own, verified or not', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab)
    const first = await authenticate(tab, createNew)
    const [one] = await device.credentials()
    await tab.evaluate(() => window.page.signer.disconnect())
    await device.clear()
    const second = await authenticate(tab, createNew)
    expect(second.user?.address).not.toBe(first.user?.address)
    await tab.evaluate(() => window.page.signer.disconnect())
    await device.clear()
    if (one) await device.add(one)
    await device.setUserVerified(false)
    const back = await authenticate(tab, logIn)
    // "preferred": an authenticator that has verification and whose check fails does not sign.
    expect([back.user?.address, back.code]).toContain(back.user ? first.user?.address : 'PASSKEY_CANCELLED')
    await device.setUserVerified(true)
    expect((await authenticate(tab, logIn)).user?.address).toBe(first.user?.address)
    expect(await sign(tab)).toBe(first.user?.address)
  })

  test('behavior: an authenticator that cannot verify its owner signs', async () => {
    const tab = await open()
    await addAuthenticator(tab, { hasUserVerification: false })
    const { user, message } = await authenticate(tab, createNew)
    expect(message).toBe('')
    expect(await sign(tab)).toBe(user?.address)
  })

  test('error: nobody signed up with it, and a prompt that is closed', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab)
    await tab.evaluate(() => window.page.passkeys.create({ username: 'stranger' }))
    const nobody = await authenticate(tab, logIn)
    expect([nobody.code, nobody.message.split('\n')[0]]).toEqual(['NO_USER_FOUND', 'No user found'])
    expect(await statusOf(tab)).toBe('DISCONNECTED')
    await device.setPresent(false)
    const given = await tab.evaluate(async () => {
      const abort = new AbortController()
      const call = window.page.signer.authenticate({ type: 'passkey', createNew: false, signal: abort.signal })
      setTimeout(() => abort.abort(), 200)
      return call.catch((error: { code: string }) => error.code)
    })
    expect(given).toBe('ABORTED')
    expect(await statusOf(tab)).toBe('DISCONNECTED')
  })

  test('behavior: passkeys are listed, added and removed, but never the last way in', async () => {
    const tab = await open()
    await addAuthenticator(tab)
    const { user } = await authenticate(tab, createNew)
    const [id] = await tab.evaluate(() => window.page.signer.addPasskey())
    const listed = await tab.evaluate(() => window.page.signer.listAuthenticators())
    expect(listed).toHaveLength(2)
    expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false])
    expect(listed[0]?.credentialId).toBe(user?.credentialId)
    expect(listed[1]).toMatchObject({ id, name: expect.stringMatching(/^passkey-\d{13}$/) })
    await tab.evaluate((given) => window.page.signer.removeAuthenticator(given ?? ''), id)
    expect(await tab.evaluate(() => window.page.signer.listAuthenticators())).toHaveLength(1)
    const { code, message } = await refusal(tab, 'removeAuthenticator', listed[0]?.id)
    expect([code, message]).toEqual(['HTTP_FAILED', expect.stringMatching(/^Turnkey error \d+: /)])
  })

  test('behavior: offered in a form field, and picked there', async () => {
    const tab = await open()
    await addAuthenticator(tab)
    const { user } = await authenticate(tab, createNew)
    await tab.evaluate(() => window.page.signer.disconnect())
    // The virtual authenticator picks at once, where a person would click into the field.
    const picked = await tab.evaluate(async () => {
      const input = document.createElement('input')
      input.autocomplete = 'username webauthn' as AutoFill
      document.body.append(input)
      const offered = window.page.signer.authenticate({ type: 'passkey', createNew: false, mediation: 'conditional' })
      const atOnce = window.page.signer.status
      return [atOnce, (await offered).address, window.page.signer.status]
    })
    expect(picked).toEqual(['DISCONNECTED', user?.address, 'CONNECTED'])
  })

  test('behavior: an offer gives way to any other sign-in', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab)
    await device.setPresent(false)
    await tab.evaluate(() => {
      const offered = window.page.signer.authenticate({ type: 'passkey', createNew: false, mediation: 'conditional' })
      Object.assign(window, { offered: offered.catch((error: { code: string }) => error.code) })
    })
    expect(await statusOf(tab)).toBe('DISCONNECTED')
    await ask(tab, newEmail())
    expect(await tab.evaluate(() => (window as unknown as { offered: Promise<string> }).offered)).toBe('SUPERSEDED')
  })

  describe('in a page of another site', () => {
    let around: Listening
    beforeAll(async () => {
      around = await listen((request, response) => {
        const allow = 'allow="publickey-credentials-get *; publickey-credentials-create *"'
        response.writeHead(200, { 'content-type': 'text/html' })
        response.end(`<iframe ${request.url === '/allowed' ? allow : ''} src="${tabs.page.url}/"></iframe>`)
      })
    })
    afterAll(() => around?.close())
    async function openInside(path: string) {
      const tab = await tabs.context.newPage()
      await addAuthenticator(tab)
      await tab.goto(`${around.url.replace('localhost', '127.0.0.1')}${path}`)
      const frame = tab.frames()[1]
      if (!frame) throw new TypeError('no frame')
      await frame.waitForFunction(() => window.page !== undefined)
      return frame
    }

    test('error: that does not let it use passkeys', async () => {
      const frame = await openInside('/')
      for (const createNew of [true, false]) {
        const refused = await frame.evaluate((isNew) => {
          const request = isNew ? { createNew: true as const, username: 'ann' } : { createNew: false as const }
          return window.page.signer
            .authenticate({ type: 'passkey', ...request })
            .catch(({ code, message }: { code: string; message: string }) => `${code} ${message}`)
        }, createNew)
        expect(refused).toContain('PASSKEY_FAILED The page around this one does not let it use passkeys.')
      }
    })

    test('behavior: that lets it use passkeys', async () => {
      const frame = await openInside('/allowed')
      const found = await frame.evaluate(async () => {
        const made = await window.page.passkeys.create({ username: 'ann' })
        const stamp = await window.page.passkeys.stamp({ body: 'x', credentialId: made.attestation.credentialId })
        return { same: stamp.credentialId === made.attestation.credentialId, client: atob(stamp.clientDataJson) }
      })
      expect(found.same).toBe(true)
      // The service sees that it was asked for inside another site.
      expect(JSON.parse(found.client)).toMatchObject({ crossOrigin: true, origin: tabs.page.url })
    })
  })
})
