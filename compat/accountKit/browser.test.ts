import { readFile, rm } from 'node:fs/promises'
import { buildScript } from '@latchkey/testkit/buildScript'
import type { BrowserContext, Page } from 'playwright-core'
import { type Hex, verifyMessage } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { addAuthenticator } from '../../packages/dev/src/testing/addAuthenticator.ts'
import { buildPage } from '../published/buildPage.ts'
import { openProfile } from '../published/openProfile.ts'
import { type Stage, startStage } from '../published/startStage.ts'

// Runs the published Account Kit 4.88.5 in Chromium. Its public hosts resolve to our server and frames. No request is
// intercepted, so preflights are real.

let stage: Stage
let devnet: Stage['devnet']
beforeAll(async () => {
  const [moved, reflect, script] = await Promise.all([
    buildPage({ moved: true }),
    // Loaded separately, because the bundler drops a dependency that is imported only for its side effect.
    readFile(new URL('./node_modules/reflect-metadata/Reflect.js', import.meta.url), 'utf8'),
    buildScript(new URL('./page.ts', import.meta.url), {
      define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    }),
  ])
  stage = await startStage({ scripts: [reflect, script], moved, chainHost: 'test.g.alchemy.com' })
  devnet = stage.devnet
})
afterAll(() => stage?.close())

let context: BrowserContext
let profile: string
let failures: string[]
beforeEach(async () => {
  failures = []
  ;({ profile, context } = await openProfile(stage.browserArgs))
  context.setDefaultTimeout(60_000)
  context.on('weberror', (error) => failures.push(String(error.error())))
  context.on('console', (message) => {
    if (message.type() === 'error') failures.push(message.text())
  })
})
afterEach(async () => {
  await context?.close()
  await rm(profile, { recursive: true, force: true, maxRetries: 10 })
})

async function open(url = stage.appUrl): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url)
  await page.waitForFunction(() => window.accountKit !== undefined)
  return page
}

let count = 0
const newEmail = () => `kit-${++count}@example.com`

test('signs up by code after a wrong one and keeps the session over a reload and an app update', async () => {
  const email = newEmail()
  const page = await open()
  await page.evaluate((address) => {
    window.accountKit.signer.authenticate({ type: 'email', email: address, emailMode: 'otp' }).catch(() => {})
  }, email)
  await stage.mailed(email, page)
  const code = devnet.readCode(email)
  const enter = (otpCode: string) =>
    page.evaluate(
      (given) =>
        window.accountKit.signer.authenticate({ type: 'otp', otpCode: given }).catch(String) as Promise<unknown>,
      otpCode,
    )
  const wrong = code === '000000000' ? '000000001' : '000000000'
  expect(await enter(wrong)).toContain('{"error":"invalid OTP code"}')
  expect(await enter(code)).toMatchObject({ email })
  await page.reload()
  await page.waitForFunction(() => window.accountKit?.statuses.includes('CONNECTED'))
  expect((await page.evaluate(() => window.accountKit.sendCalls())).statusCode).toBe(200)

  // The migrated app with Latchkey's client resumes the stored session. So does the old app after a rollback.
  const { address } = await page.evaluate(() => window.accountKit.signer.getAuthDetails())
  expect(await page.evaluate(() => localStorage.getItem('alchemy-signer-session'))).toContain('"type":"otp"')
  await page.goto(`${stage.appUrl}/moved`)
  await page.waitForFunction(() => window.published?.statuses.includes('CONNECTED'))
  expect(await page.evaluate(() => window.published.signer.getAuthDetails())).toMatchObject({ email, address })
  const signature = (await page.evaluate(() => window.published.signer.signMessage('hello'))) as Hex
  expect(await verifyMessage({ address, message: 'hello', signature })).toBe(true)
  await page.goto(stage.appUrl)
  await page.waitForFunction(() => window.accountKit?.statuses.includes('CONNECTED'))
  expect(await page.evaluate(() => window.accountKit.signer.getAuthDetails())).toMatchObject({ email, address })
})

test('signs up by passkey and trusts an email address only after its code', async () => {
  const email = newEmail()
  const page = await open()
  await addAuthenticator(page)
  const user = await page.evaluate(
    (address) => window.accountKit.signer.authenticate({ type: 'passkey', email: address }),
    email,
  )
  await page.reload()
  await page.waitForFunction(() => window.accountKit?.statuses.includes('CONNECTED'))
  expect(await page.evaluate(() => window.accountKit.signer.getAuthDetails())).toMatchObject({ address: user.address })
  expect(failures).toEqual([])
  // The address is not verified yet, so a lookup must not find the user.
  expect((await devnet.post('lookup', { email })).json).toEqual({ orgId: null })
  const list = async () => (await devnet.post('list-auth-methods', { suborgId: user.orgId })).json
  expect(await list()).not.toHaveProperty('email')
  expect(devnet.inbox.messages({ to: email })).toEqual([])

  await page.evaluate((contact) => window.accountKit.signer.sendVerificationCode('email', contact), email)
  expect((await devnet.post('lookup', { email })).json).toEqual({ orgId: null })
  const setEmail = (verificationCode: string) =>
    page.evaluate(
      (code) => window.accountKit.signer.setEmail({ verificationCode: code }).catch(String),
      verificationCode,
    )
  const code = devnet.readCode(email)
  const wrong = code === '000000000' ? '000000001' : '000000000'
  expect(await setEmail(wrong)).toContain('{"error":"invalid OTP code"}')
  expect(await setEmail(code)).toBe(email)
  expect((await devnet.post('lookup', { email })).json).toEqual({ orgId: user.orgId })
  // The address is masked, because anyone can request this list.
  expect(await list()).toMatchObject({ email: `${email.slice(0, 1)}***${email.slice(email.indexOf('@'))}` })
})
