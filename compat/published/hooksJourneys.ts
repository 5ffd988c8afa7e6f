import { rm } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { addAuthenticator } from '../../packages/dev/src/testing/addAuthenticator.ts'
import { openProfile } from './openProfile.ts'
import type { Stage } from './startStage.ts'
import './hooksPage.ts'

export type HooksBrowser = Awaited<ReturnType<typeof openHooksBrowser>>

export async function openHooksBrowser(stage: Stage) {
  const { profile, context } = await openProfile(stage.browserArgs)
  // A long timeout, because the machine may be busy. The test's own timeout applies.
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

/** Sends a sponsored operation. Verifies signatures of messages and typed data with the account. */
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

/** Signs in twice. Leaves the page of the second sign-in open and returns it. */
export async function linkJourney(
  stage: Stage,
  browser: HooksBrowser,
  parameters: object = {},
  url = stage.appUrl,
): Promise<Page> {
  const email = `link-${Date.now()}@example.com`
  const asking = await browser.open(url)
  await asking.evaluate((given) => void window.hooks.authenticate(given).catch(() => {}), {
    type: 'email',
    email,
    ...parameters,
  })
  await stage.mailed(email, asking)
  const page = await browser.open(stage.devnet.readLink(email).href)
  await addAuthenticator(page)
  const { user, address } = await waitForAccount(page)
  // Closes the tab that requested the e-mail: it may sign in later and would restore its session after the sign-out.
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
  // Storage contains address and status early. Only a signature proves that the signer has restored its session.
  await expect
    .poll(() => page.evaluate(() => window.hooks.signMessage('again').catch(() => '')))
    .toMatch(/^0x[0-9a-f]{130,}$/i)
  await page.evaluate(async () => void (await window.hooks.logout()))
  await page.waitForFunction(() => window.hooks.user === null || window.hooks.user === undefined)
  await page.evaluate(async () => void (await window.hooks.authenticate({ type: 'passkey', createNew: false })))
  const again = await waitForAccount(page)
  expect(again).toMatchObject({ address, user: { orgId: user?.orgId } })
  return page
}

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
