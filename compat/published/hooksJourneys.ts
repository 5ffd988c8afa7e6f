import { rm } from 'node:fs/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { addAuthenticator } from '../../packages/dev/src/testing/addAuthenticator.ts'
import { openProfile } from './openProfile.ts'
import type { Stage } from './startStage.ts'
import './hooksPage.ts'

/** A browser on a stage, and the journeys that the hooks of each published version make there. */
export type HooksBrowser = {
  context: BrowserContext
  /** Errors of pages and their consoles, refused requests among them. */
  failures: string[]
  open(url?: string): Promise<Page>
  close(): Promise<void>
}

export async function openHooksBrowser(stage: Stage): Promise<HooksBrowser> {
  const { profile, context } = await openProfile(stage.browserArgs)
  // Only the test's own time limit ends anything: other programs may need the machine.
  context.setDefaultTimeout(60_000)
  const failures: string[] = []
  context.on('weberror', (error) => failures.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error') failures.push(message.text())
  })
  return {
    context,
    failures,
    async open(url = stage.appUrl) {
      const page = await context.newPage()
      await page.goto(url)
      await page.waitForFunction(() => window.hooks !== undefined)
      return page
    },
    async close() {
      await context.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Waits until the page is signed in and has its account, whose address it resolves to. */
export async function waitForAccount(page: Page) {
  await page.waitForFunction(() => window.hooks?.status === 'CONNECTED' && window.hooks.address !== undefined)
  return page.evaluate(() => ({ user: window.hooks.user, address: window.hooks.address ?? '0x' }))
}

const typedData = {
  domain: { name: 'Test', chainId: 1 },
  types: { Mail: [{ name: 'text', type: 'string' }] },
  primaryType: 'Mail',
  message: { text: 'hello' },
} as const

/** A sponsored send, and signatures of both kinds, which the account itself accepts. */
export async function expectWallet(page: Page, { gateway }: Stage): Promise<void> {
  const { address } = await waitForAccount(page)
  const hash = await page.evaluate(() => window.hooks.send())
  expect(await gateway.client.getTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
  expect(await gateway.client.getCode({ address })).toMatch(/^0x.{40,}/)
  const message = await page.evaluate(() => window.hooks.signMessage('hello'))
  expect(await gateway.client.verifyMessage({ address, message: 'hello', signature: message })).toBe(true)
  const signature = await page.evaluate((data) => window.hooks.signTypedData(data), typedData as never)
  expect(await gateway.client.verifyTypedData({ ...typedData, address, signature })).toBe(true)
}

/** From a mail's link to a log-out, and in again by the passkey added on the way. */
export async function linkJourney(stage: Stage, browser: HooksBrowser, parameters: object = {}): Promise<void> {
  const email = `link-${Date.now()}@example.com`
  const asking = await browser.open()
  await asking.evaluate((given) => void window.hooks.authenticate(given).catch(() => {}), {
    type: 'email',
    email,
    ...parameters,
  })
  await stage.mailed(email, asking)
  const page = await browser.open(stage.world.readLink(email).href)
  await addAuthenticator(page)
  const { user, address } = await waitForAccount(page)
  // It signs in, too, some time later, and its session would be back after the log-out.
  await asking.close()
  expect(user).toMatchObject({ email, address: expect.stringMatching(/^0x/) })
  await expectWallet(page, stage)

  await page.evaluate(async () => void (await window.hooks.addPasskey()))
  await page.evaluate(() => window.hooks.exportAccount())
  await stage.confirmByMail(email)
  await page.waitForFunction(() => window.hooks.isExported || window.hooks.exportError !== undefined)
  expect(await page.evaluate(() => window.hooks.exportError)).toBeUndefined()

  await page.reload()
  expect((await waitForAccount(page)).address).toBe(address)
  // Address and status are painted from storage; a signature shows that the signer has its session again. Logged out
  // before that, it would restore it afterwards.
  await expect
    .poll(() => page.evaluate(() => window.hooks.signMessage('again').catch(() => '')))
    .toMatch(/^0x[0-9a-f]{130,}$/)
  await page.evaluate(async () => void (await window.hooks.logout()))
  await page.waitForFunction(() => window.hooks.user === null || window.hooks.user === undefined)
  await page.evaluate(async () => void (await window.hooks.authenticate({ type: 'passkey', createNew: false })))
  const again = await waitForAccount(page)
  expect(again).toMatchObject({ address, user: { orgId: user?.orgId } })
}

/** From a new passkey to a reload. */
export async function passkeyJourney(stage: Stage, browser: HooksBrowser): Promise<void> {
  const page = await browser.open()
  await addAuthenticator(page)
  await page.evaluate(
    async () => void (await window.hooks.authenticate({ type: 'passkey', createNew: true, username: 'alice' })),
  )
  const { address } = await waitForAccount(page)
  await expectWallet(page, stage)
  await page.reload()
  expect((await waitForAccount(page)).address).toBe(address)
}
