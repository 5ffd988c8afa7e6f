import { authenticate, devnetTabs, newEmail, sign } from '@latchkey/testkit/signer/devnetTabs'
import type { Devnet } from 'latchkey-dev'
import { addAuthenticator, readSignInMail, startTestDevnet } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Signer } from './types.ts'

// One page uses two services with separate databases and keys.

const tabs = devnetTabs()
let other: Devnet
beforeAll(async () => {
  // Like the hosted provider, the other service exports without a confirmation.
  other = await startTestDevnet({ example: false, appUrls: [`${tabs.page.url}/`], confirmations: 'none' })
})
afterAll(() => other?.close())

type Moving = Window & { from: Signer }

async function signInThere(tab: Page): Promise<string> {
  const email = newEmail()
  await tab.evaluate(
    ([url, address]) => {
      const from = window.page.makeAt(url)
      Object.assign(window, { from, signingIn: from.authenticate({ type: 'email', email: address }) })
    },
    [other.urls.signerApi, email] as const,
  )
  // The page accepts the code only after its own e-mail request has completed.
  await tab.waitForFunction(() => (window as unknown as Moving).from.status === 'AWAITING_EMAIL_AUTH')
  const { code } = await readSignInMail(other, email, { linkTo: tabs.page.url })
  await tab.evaluate(
    async (digits) => (window as unknown as Moving).from.authenticate({ type: 'email', code: digits }),
    code ?? '',
  )
  return tab.evaluate(() => (window as unknown as Moving).from.getAddress())
}

/** Creates a passkey account at this service and moves the wallet, as an app does on a click. */
const press = (tab: Page) =>
  tab.evaluate(async () => {
    const { signer } = window.page
    await signer.authenticate({ type: 'passkey', createNew: true, username: 'ann' })
    return signer.moveWallet((window as unknown as Moving).from).then(
      ({ address }) => address as string,
      ({ code }: { code: string }) => code,
    )
  })

/** Opens the page with a device session, which prompts only for the new passkey. */
const openForMove = () => tabs.open(`${tabs.page.url}/?device`)

test('moves the wallet of the other service with one click and a new passkey', async () => {
  const tab = await openForMove()
  const device = await addAuthenticator(tab)
  const address = await signInThere(tab)
  expect(await press(tab)).toBe(address)
  expect(await device.credentials()).toHaveLength(1)
  expect(await sign(tab)).toBe(address)
  expect(await tab.evaluate(() => window.page.signer.user?.address)).toBe(address)

  await tab.reload()
  await tab.waitForFunction(() => window.page?.signer.status === 'CONNECTED')
  expect(await sign(tab)).toBe(address)
  await tab.evaluate(() => window.page.signer.disconnect())
  const back = await authenticate(tab, { type: 'passkey', createNew: false })
  expect(back.user?.address).toBe(address)
  expect(await sign(tab)).toBe(address)
})

test('keeps the address of an account that is already in use, and reports the error code', async () => {
  const tab = await openForMove()
  await addAuthenticator(tab)
  await signInThere(tab)
  await authenticate(tab, { type: 'passkey', createNew: true, username: 'ann' })
  const address = await sign(tab)
  // Fetches the response here, because the browser may discard a body that the page never reads.
  const noted = new Promise<{ activity: unknown }>((resolve) =>
    tab.route(/\/submit\/note_move_failure$/, async (route) => {
      const response = await route.fetch()
      resolve(await response.json())
      await route.fulfill({ response })
    }),
  )
  const code = await tab.evaluate(() =>
    window.page.signer.moveWallet((window as unknown as Moving).from).then(
      () => 'none',
      (error: { code: string }) => error.code,
    ),
  )
  expect(code).toBe('HTTP_FAILED')
  const { activity } = await noted
  expect(activity).toMatchObject({
    status: 'ACTIVITY_STATUS_COMPLETED',
    intent: { noteMoveFailureIntent: { reason: 'REQUEST_INVALID' } },
  })
  expect(await sign(tab)).toBe(address)
})
