import { launchPuppeteer } from '@latchkey/testkit/frames/launchPuppeteer'
import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import {
  authenticate,
  newEmail,
  readStatus,
  refusal,
  sign,
  status,
  worldTabs,
} from '@latchkey/testkit/signer/worldTabs'
import { addAuthenticator, readConfirmationMail, readSignInMail, waitForMail } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { recoverMessageAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Pages of another site with a signer's page in them, one the project lists and one it does not. */
let listed: Listening
let unlisted: Listening
beforeAll(async () => {
  ;[listed, unlisted] = await Promise.all([startAround(), startAround()])
})
afterAll(() => Promise.all([listed?.close(), unlisted?.close()]))

const tabs = worldTabs(() => [listed.url])
const { open, ask } = tabs

async function startAround(): Promise<Listening> {
  const around = await listen((request, response) => {
    const allow = 'allow="publickey-credentials-get *; publickey-credentials-create *"'
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(`<iframe ${request.url === '/allowed' ? allow : ''} src="${tabs.page.url}/"></iframe>`)
  })
  return { ...around, url: around.url.replace('localhost', '127.0.0.1') }
}

describe('by passkey', () => {
  const createNew = { type: 'passkey', createNew: true, username: 'ann' } as const
  const logIn = { type: 'passkey', createNew: false } as const

  test('default: two passkeys of two people on one device: each signs in as its own, once it has verified its user', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab)
    const first = await authenticate(tab, createNew)
    const [one] = await device.credentials()
    await tab.evaluate(() => window.page.signer.disconnect())
    await device.clear()
    const second = await authenticate(tab, createNew)
    expect(second.user?.address).not.toBe(first.user?.address)
    // Both are on the device now: the session asks for its own.
    if (one) await device.add(one)
    expect(await device.credentials()).toHaveLength(2)
    expect(await sign(tab)).toBe(second.user?.address)
    await tab.evaluate(() => window.page.signer.disconnect())
    await device.clear()
    if (one) await device.add(one)
    await device.setUserVerified(false)
    // "preferred": an authenticator that has verification and whose check fails does not sign.
    expect((await authenticate(tab, logIn)).code).toBe('PASSKEY_CANCELLED')
    expect(await readStatus(tab)).toBe('DISCONNECTED')
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

  test('error: no person has it, and a prompt that is closed', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab)
    await tab.evaluate(() => window.page.passkeys.create({ username: 'stranger' }))
    const nobody = await authenticate(tab, logIn)
    expect([nobody.code, nobody.message.split('\n')[0]]).toEqual(['NO_USER_FOUND', 'No user found'])
    expect(await readStatus(tab)).toBe('DISCONNECTED')
    await device.setPresent(false)
    const given = await tab.evaluate(async () => {
      const abort = new AbortController()
      const call = window.page.signer.authenticate({ type: 'passkey', createNew: false, signal: abort.signal })
      setTimeout(() => abort.abort(), 200)
      return call.catch((error: { code: string }) => error.code)
    })
    expect(given).toBe('ABORTED')
    expect(await readStatus(tab)).toBe('DISCONNECTED')
  })

  test('behavior: passkeys are listed, added and removed, but never the last credential', async () => {
    const tab = await open()
    await addAuthenticator(tab)
    const { user } = await authenticate(tab, createNew)
    expect((await refusal(tab, 'addPasskey', undefined)).code).toBe('PASSKEY_EXISTS')
    await addAuthenticator(tab, { transport: 'usb' })
    const [id] = await tab.evaluate(() => window.page.signer.addPasskey())
    const listed = await tab.evaluate(() => window.page.signer.listAuthenticators())
    expect(listed).toHaveLength(2)
    expect(listed.map(({ isCurrent }) => isCurrent)).toEqual([true, false])
    expect(listed[0]?.credentialId).toBe(user?.credentialId)
    expect(listed[1]).toMatchObject({ id, name: expect.stringMatching(/^passkey-\d{13}$/), provider: null })
    await tab.evaluate((given) => window.page.signer.removeAuthenticator(given ?? ''), id)
    expect(await tab.evaluate(() => window.page.signer.listAuthenticators())).toHaveLength(1)
    const { code, message } = await refusal(tab, 'removeAuthenticator', listed[0]?.id)
    expect([code, message]).toEqual(['HTTP_FAILED', expect.stringMatching(/^Turnkey error \d+: /)])
  })

  test('behavior: offered in a form field, and picked there', async () => {
    const tab = await open()
    await addAuthenticator(tab, { hasAutofill: true })
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

  test('behavior: only those at hand: none shows nothing, one signs in, and a browser that cannot says so', async () => {
    const tab = await open()
    const atHand = async () => (await authenticate(tab, { ...logIn, mediation: 'immediate' })).code ?? 'done'
    const device = await addAuthenticator(tab)
    expect(await atHand()).toBe('PASSKEY_CANCELLED')
    expect(await readStatus(tab)).toBe('DISCONNECTED')
    await authenticate(tab, createNew)
    await tab.evaluate(() => window.page.signer.disconnect())
    expect(await atHand()).toBe('done')
    await tab.evaluate(() => window.page.signer.disconnect())
    await tab.evaluate(() => {
      PublicKeyCredential.getClientCapabilities = () => Promise.resolve({})
    })
    expect(await atHand()).toBe('PASSKEY_UNSUPPORTED')
    expect(await device.credentials()).toHaveLength(1)
  })

  test('behavior: an offer gives way to any other sign-in', async () => {
    const tab = await open()
    const device = await addAuthenticator(tab, { hasAutofill: true })
    await device.setPresent(false)
    await tab.evaluate(() => {
      const offered = window.page.signer.authenticate({ type: 'passkey', createNew: false, mediation: 'conditional' })
      Object.assign(window, { offered: offered.catch((error: { code: string }) => error.code) })
    })
    expect(await readStatus(tab)).toBe('DISCONNECTED')
    await ask(tab, newEmail())
    expect(await tab.evaluate(() => (window as unknown as { offered: Promise<string> }).offered)).toBe('SUPERSEDED')
  })

  test('behavior: a caller ends its wait for the mail, and may ask again', async () => {
    const { opened, email } = await tabs.signIn()
    await addAuthenticator(opened)
    const [id = ''] = await opened.evaluate(() => window.page.signer.addPasskey())
    const code = await opened.evaluate(async (given) => {
      const { signer } = window.page
      const abort = new AbortController()
      signer.on('confirmationChanged', () => abort.abort())
      return signer.removeAuthenticator(given, { signal: abort.signal }).catch((error: { code: string }) => error.code)
    }, id)
    expect(code).toBe('ABORTED')
    expect(await opened.evaluate(() => [window.page.signer.confirmation, window.page.signer.status])).toEqual([
      null,
      'CONNECTED',
    ])
    // Mails may overtake each other.
    await readConfirmationMail(tabs.world, email)
    const removed = opened.evaluate((given) => window.page.signer.removeAuthenticator(given), id)
    await tabs.confirm(email, 1)
    await removed
    expect(await opened.evaluate(() => window.page.signer.listAuthenticators())).toEqual([])
  })

  describe('of an account that is being deleted', () => {
    /** Has the account deleted by a passkey of this tab's device, as a page of the person's does. */
    const deleteAccount = (tab: Page) =>
      tab.evaluate(
        async ({ custodyUrl, path }) => {
          const { signer, passkeys } = window.page
          const body = JSON.stringify({
            type: 'ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION',
            timestampMs: String(Date.now()),
            organizationId: signer.user?.orgId,
            parameters: { deleteWithoutExport: true },
          })
          const stamp = JSON.stringify(await passkeys.stamp({ body }))
          const headers = { 'content-type': 'application/json', 'X-Stamp-WebAuthn': stamp }
          const response = await fetch(`${custodyUrl}${path}`, { method: 'POST', headers, body })
          return ((await response.json()) as { activity: { status: string } }).activity.status
        },
        { custodyUrl: tabs.world.urls.custody, path: '/public/v1/submit/delete_sub_organization' },
      )
    const readDeletion = (tab: Page) => tab.evaluate(() => window.page.signer.deletion?.dueAtMs ?? null)
    const cancel = (tab: Page) =>
      tab.evaluate(() =>
        window.page.signer.deletion?.cancel().then(
          () => 'done',
          ({ code }: { code: string }) => code,
        ),
      )

    test('behavior: its passkey is refused, and cancels the deletion', async () => {
      const tab = await open()
      await addAuthenticator(tab)
      const { user } = await authenticate(tab, createNew)
      expect(await deleteAccount(tab)).toBe('ACTIVITY_STATUS_COMPLETED')
      // The session it was deleted in says so, too.
      expect((await refusal(tab, 'signMessage', 'x')).code).toBe('ORGANIZATION_DELETING')
      expect(await readDeletion(tab)).not.toBeNull()
      await tab.evaluate(() => window.page.signer.disconnect())
      expect(await readDeletion(tab)).toBeNull()

      const { code, message } = await authenticate(tab, logIn)
      expect([code, message]).toEqual([
        'ORGANIZATION_DELETING',
        expect.stringMatching(/^This account is being deleted: its keys are destroyed on \d{4}-\d\d-\d\d\./),
      ])
      expect(await readStatus(tab)).toBe('DISCONNECTED')
      expect(Number(await readDeletion(tab)) - Date.now()).toBeGreaterThan(6 * 86_400_000)
      expect(await cancel(tab)).toBe('done')
      expect(await readDeletion(tab)).toBeNull()
      expect((await authenticate(tab, logIn)).user?.address).toBe(user?.address)
      expect(await sign(tab)).toBe(user?.address)
    })

    /** A person with an address and a young passkey, and a mail of another browser; then the account is deleted. */
    async function deleteWithMail() {
      const { opened, email } = await tabs.signIn()
      await addAuthenticator(opened)
      await opened.evaluate(() => window.page.signer.addPasskey())
      const elsewhere = await tabs.browser.newContext()
      const asking = await open(undefined, elsewhere)
      const { link, code = '' } = await ask(asking, email, 1)
      expect(await deleteAccount(opened)).toBe('ACTIVITY_STATUS_PENDING')
      expect(await tabs.confirm(email)).toBe('Delete the account with all its keys?')
      return { opened, email, elsewhere, asking, link, code }
    }

    test('behavior: the link of a mail of before proves the mailbox, so its page cancels it', async () => {
      const { elsewhere, link } = await deleteWithMail()
      const late = await open(link, elsewhere)
      await late.waitForFunction(() => window.page.errors.length > 0)
      expect(await late.evaluate(() => window.page.errors[0]?.code)).toBe('ORGANIZATION_DELETING')
      expect(await cancel(late)).toBe('done')
      await late.goto(link)
      await status(late, 'CONNECTED')
      await elsewhere.close()
    })

    test('error: by its code, and not cancelled while the sign-in was young', async () => {
      const { elsewhere, asking, code } = await deleteWithMail()
      expect((await authenticate(asking, { type: 'email', code })).code).toBe('ORGANIZATION_DELETING')
      tabs.advance(6 * 60_000)
      expect(await cancel(asking)).toBe('REQUEST_NOT_AUTHORIZED')
      expect(await readDeletion(asking)).not.toBeNull()
      await elsewhere.close()
    })

    test('behavior: a mail asked for meanwhile looks like any other to the page, and its link keeps the account', async () => {
      const { opened, email, elsewhere, asking } = await deleteWithMail()
      await asking.evaluate((address) => window.page.start({ email: address }), email)
      await status(asking, 'AWAITING_EMAIL_AUTH')
      expect(await asking.evaluate(() => [window.page.signer.codeLength, window.page.signer.deletion])).toEqual([
        9,
        null,
      ])
      expect((await authenticate(asking, { type: 'email', code: '000000000' })).code).toBe('OTP_EXPIRED')
      const isKeep = ({ subject }: { subject: string }) => subject.endsWith('your account is being deleted')
      const { links } = await waitForMail(tabs.world, email, { skip: 1, matching: isKeep })
      const page = await elsewhere.newPage()
      await page.goto(links.find((url) => url.includes('/confirm/#')) ?? '')
      await page.getByRole('button', { name: 'Keep my account' }).click()
      await page.getByRole('heading', { name: 'Kept' }).waitFor()
      expect((await authenticate(opened, logIn)).user?.email).toBe(email)
      await elsewhere.close()
    })
  })

  describe('in a page of another site', () => {
    async function openInside(url: string) {
      const tab = await tabs.context.newPage()
      await addAuthenticator(tab)
      await tab.goto(url)
      const frame = tab.frames()[1]
      if (!frame) throw new TypeError('no frame')
      await frame.waitForFunction(() => window.page !== undefined)
      return { tab, frame }
    }

    test('error: that does not let it use passkeys', async () => {
      const { frame } = await openInside(listed.url)
      for (const request of [createNew, logIn]) {
        const { code, message } = await authenticate(frame, request)
        expect(code).toBe('PASSKEY_FAILED')
        expect(message).toContain('The page around this one does not let it use passkeys.')
      }
    })

    test('error: that the project does not list, though it lets it use passkeys', async () => {
      const { frame } = await openInside(`${unlisted.url}/allowed`)
      const { code, message } = await authenticate(frame, createNew)
      expect(code).toBe('HTTP_FAILED')
      expect(message).toContain('The passkey was used inside a page of an origin that is not registered.')
      expect(await readStatus(frame)).toBe('DISCONNECTED')
    })

    test('behavior: that the project lists: signs up, signs, comes back and signs in again', async () => {
      const { tab, frame } = await openInside(`${listed.url}/allowed`)
      const { user, message } = await authenticate(frame, createNew)
      expect(message).toBe('')
      expect(await sign(frame)).toBe(user?.address)
      await tab.reload()
      const again = tab.frames()[1] ?? frame
      await again.waitForFunction(() => window.page?.signer.status === 'CONNECTED')
      expect(await sign(again)).toBe(user?.address)
      await again.evaluate(() => window.page.signer.disconnect())
      expect((await authenticate(again, logIn)).user?.address).toBe(user?.address)
    })

    test('behavior: a mail signs in there by its code; its link is for a tab of the same site', async () => {
      // The other driver switches off that an embedded page has a storage of its own.
      const chromium = await launchPuppeteer('chrome')
      const tab = await chromium.newPage()
      await tab.goto(`${listed.url}/allowed`)
      const frame = await tab.waitForFrame((one) => one.url().startsWith(tabs.page.url))
      await frame.waitForFunction(() => window.page !== undefined)
      const email = newEmail()
      await frame.evaluate((address) => window.page.start({ email: address }), email)
      await frame.waitForFunction(() => window.page.signer.status === 'AWAITING_EMAIL_AUTH')
      const { code, link } = await readSignInMail(tabs.world, email, { linkTo: tabs.page.url })
      const alone = await chromium.newPage()
      await alone.goto(link)
      await alone.waitForFunction(() => window.page?.errors.length > 0)
      expect(await alone.evaluate(() => window.page.errors[0]?.code)).toBe('BUNDLE_INJECTION_FAILED')
      const [user, signature] = await frame.evaluate(async (given) => {
        const { signer } = window.page
        return [await signer.authenticate({ type: 'email', code: given }), await signer.signMessage('hello')] as const
      }, code ?? '')
      expect(user.email).toBe(email)
      expect(await recoverMessageAddress({ message: 'hello', signature })).toBe(user.address)
      await chromium.close()
    })
  })
})

test('behavior: a mail asked for again: its code works before the response arrives, and the older code after that', async () => {
  const email = newEmail()
  const asking = await open()
  const older = await ask(asking, email)
  const resend = () => void asking.evaluate((start) => window.page.start(start), { email })
  let deliver = () => {}
  const slow = new Promise<void>((resolve) => {
    deliver = resolve
  })
  // The address was never proven, so that this is a sign-up once more.
  await asking.route(/\/v1\/(?:auth|signup)$/, async (route) => {
    const response = await route.fetch()
    await slow
    await route.fulfill({ response })
  })
  resend()
  const newer = await readSignInMail(tabs.world, email, { skip: 1, linkTo: tabs.page.url })
  const signing = authenticate(asking, { type: 'email', code: newer.code ?? '' })
  // As the code of the mail before, the only one whose name is known.
  const tried = await asking.waitForResponse((response) => response.url().endsWith('/otp_auth'))
  expect(tried.status()).toBe(400)
  deliver()
  expect((await signing).user?.email).toBe(email)
  await status(asking, 'CONNECTED')
  expect(older.code).not.toBe(newer.code)

  const another = newEmail()
  await asking.evaluate(() => window.page.signer.disconnect())
  const first = await ask(asking, another)
  await ask(asking, another, 1)
  const wrong = await authenticate(asking, { type: 'email', code: '000000000' })
  expect(wrong.message).toContain('4 attempts are left')
  expect((await authenticate(asking, { type: 'email', code: first.code ?? '' })).user?.email).toBe(another)
  // The other mail was never opened: it is no session of another browser.
  const sessions = await asking.evaluate(() => window.page.signer.listSessions())
  expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([true])
})
