import { readFile } from 'node:fs/promises'
import { buildScript } from '@latchkey/testkit/buildScript'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import type { Page } from 'playwright-core'
import { sepolia } from 'viem/chains'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { addAuthenticator } from '../../packages/dev/src/testing/addAuthenticator.ts'
import { createTotp } from '../../packages/dev/src/testing/createTotp.ts'
import { type HooksBrowser, openHooksBrowser, waitForAccount } from '../published/hooksJourneys.ts'
import { type Stage, startStage } from '../published/startStage.ts'
import type {} from './methods.ts'

// Runs the published sign-in hooks and the card of 4.88.5 in Chromium, with its public hosts.

const start = (project: startStage.Parameters['project']) =>
  startStage({ scripts, chainHost: 'eth-sepolia.g.alchemy.com', chainId: sepolia.id, project })

let scripts: string[]
let stage: Stage
beforeAll(async () => {
  const [reflect, script] = await Promise.all([
    // Loaded separately, because the bundler drops a dependency that is imported only for its side effect.
    readFile(new URL('./node_modules/reflect-metadata/Reflect.js', import.meta.url), 'utf8'),
    buildScript(new URL('./hooks.ts', import.meta.url), {
      define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'globalThis' },
    }),
  ])
  scripts = [reflect, script]
  // The card accepts only six digits, and asks for a code only if the signer prefers codes.
  stage = await start({ signerCodes: 'preferred', codes: 'six-digits' })
})
afterAll(() => stage?.close())

let browser: HooksBrowser
beforeEach(async () => {
  browser = await openHooksBrowser(stage)
})
afterEach(() => browser?.close())

let count = 0
const newEmail = (name = 'methods') => `${name}-${++count}@example.com`
const list = (page: Page) => page.evaluate(() => window.methodHooks.list()) as Promise<MethodsListed>
type MethodsListed = { email?: string; passkeys: { authenticatorId: string }[] }

async function signInByCard(page: Page, email: string): Promise<void> {
  await page.fill('#card input[type=email], #card input[name=email], #card input', email)
  await page.click('#card button:has-text("Continue")')
  await stage.mailed(email, page)
  const first = page.locator('#card input[aria-label*="for the 1 digit"]')
  await first.waitFor()
  const code = stage.devnet.readCode(email)
  await first.fill(code === '000000' ? '000001' : '000000')
  await page.locator('text=The code you entered is incorrect').waitFor()
  await first.fill(code)
  expect((await waitForAccount(page)).user).toMatchObject({ email })
}

test('signs up by code through the card after a wrong code, and signs in by passkey', async () => {
  const page = await browser.open(`${stage.appUrl}/?card`)
  await addAuthenticator(page)
  await signInByCard(page, newEmail())
  const { user } = await waitForAccount(page)
  await page.evaluate(async () => void (await window.hooks.addPasskey()))
  await page.evaluate(async () => void (await window.hooks.logout()))
  await page.waitForFunction(() => !window.hooks.user)
  await page.reload()
  await page.click('#card button:has-text("passkey")')
  expect((await waitForAccount(page)).user).toMatchObject({ orgId: user?.orgId })
})

const masked = (email: string) => `${email.slice(0, 1)}***${email.slice(email.indexOf('@'))}`

test('lists sign-in methods, and removes a passkey and changes the address once mails confirm it', async () => {
  // Each address starts with a different letter, because the list shows only the first letter.
  const [email, next, last] = [newEmail('first'), newEmail('next'), newEmail('last')]
  const page = await browser.open(`${stage.appUrl}/?card`)
  await addAuthenticator(page)
  await signInByCard(page, email)
  expect(await list(page)).toMatchObject({ email: masked(email), passkeys: [] })
  await page.evaluate(async () => void (await window.hooks.addPasskey()))
  const [passkey, ...others] = (await list(page)).passkeys
  expect(others).toEqual([])

  expect(await page.evaluate(() => window.methodHooks.listFactors())).toEqual({ multiFactors: [] })
  expect(await page.evaluate(() => window.methodHooks.addFactor())).toMatchObject({
    multiFactorType: 'totp',
    multiFactorTotpUrl: expect.stringMatching(/^otpauth:\/\/totp\//),
  })
  // It has no effect until its first code.
  expect(await page.evaluate(() => window.methodHooks.listFactors())).toEqual({ multiFactors: [] })

  expect(await page.evaluate((to) => window.methodHooks.setEmail(to), next)).toContain('CONFIRMATION_NEEDED')
  expect(await list(page)).toMatchObject({ email: masked(email) })
  await stage.confirmByMail(email, 0, 'passed-on')
  await stage.confirmByMail(next)
  expect(await list(page)).toMatchObject({ email: masked(next) })

  // The code proves the new address, so only the current address must confirm.
  await page.evaluate((contact) => window.methodHooks.sendCode(contact), last)
  const verificationCode = stage.devnet.readCode(last)
  expect(await page.evaluate((code) => window.methodHooks.setEmail(code), { verificationCode })).toContain(
    'CONFIRMATION_NEEDED',
  )
  expect(await list(page)).toMatchObject({ email: masked(next) })
  await stage.confirmByMail(next, 1)
  expect(await list(page)).toMatchObject({ email: masked(last) })

  await page.evaluate((id) => window.methodHooks.removePasskey(id), passkey?.authenticatorId ?? '')
  expect((await list(page)).passkeys).toHaveLength(1)
  await stage.confirmByMail(last)
  expect((await list(page)).passkeys).toEqual([])
  // Without the address, the user could no longer sign in.
  expect(await page.evaluate(() => window.methodHooks.removeEmail())).toContain('Add a passkey first')
})

test('exports a key to the page without confirmations, and reports it', async () => {
  const own = await start({ confirmations: 'none' })
  const elsewhere = await openHooksBrowser(own)
  try {
    const page = await elsewhere.open()
    await addAuthenticator(page)
    await page.evaluate(
      async () => void (await window.hooks.authenticate({ type: 'passkey', createNew: true, username: 'ada' })),
    )
    await waitForAccount(page)
    const reported = page.waitForResponse(/track-key-export/)
    const { targetPublicKey } = await createTestFrame()
    const sealed = await page.evaluate((key) => window.methodHooks.exportKey(key), targetPublicKey)
    expect(sealed).toMatchObject({ ciphertext: expect.stringMatching(/^[0-9a-f]+$/) })
    const response = await reported
    expect(response.status()).toBe(200)
    // Repeats the request, because the page never reads the response and the browser may discard its body.
    const asked = response.request().postData()
    expect(await own.devnet.post('track-key-export', asked)).toMatchObject({ status: 200, json: {} })
  } finally {
    await elsewhere.close()
    await own.close()
  }
})

test('sets up a second factor by stamped words, and asks for it after the code', async () => {
  const email = newEmail('factor')
  const page = await browser.open(`${stage.appUrl}/?card`)
  await signInByCard(page, email)
  const made = (await page.evaluate(() => window.methodHooks.addFactor())) as NewFactor
  const { multiFactorId, multiFactorTotpUrl } = made
  const totp = createTotp(multiFactorTotpUrl)
  const given = { multiFactorId, multiFactorCode: totp.code() }
  const verified = await page.evaluate((factor) => window.methodHooks.verifyFactor(factor), given)
  expect(verified).toContain('CONFIRMATION_NEEDED')
  await stage.confirmByMail(email)
  const factors = { multiFactors: [{ multiFactorId, multiFactorType: 'totp' }] }
  expect(await page.evaluate(() => window.methodHooks.listFactors())).toEqual(factors)
  await page.evaluate(async () => void (await window.hooks.logout()))
  await page.waitForFunction(() => !window.hooks.user)

  await page.reload()
  await page.fill('#card input[type=email], #card input[name=email], #card input', email)
  const asked = page.waitForResponse(/\/v1\/auth$/)
  await page.click('#card button:has-text("Continue")')
  await (await asked).finished()
  const first = page.locator('#card input[aria-label*="for the 1 digit"]')
  await first.waitFor()
  await first.fill(stage.devnet.readCode(email))
  await page.locator('#card', { hasText: 'authenticator' }).waitFor()
  await first.fill('000000')
  await page.locator('#card', { hasText: 'incorrect' }).waitFor()
  await first.fill(totp.code({ ahead: 1 }))
  expect((await waitForAccount(page)).user).toMatchObject({ email })
})
type NewFactor = { multiFactorId: string; multiFactorTotpUrl: string }
