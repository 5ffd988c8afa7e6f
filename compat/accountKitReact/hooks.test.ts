import { readFile } from 'node:fs/promises'
import { buildScript } from '@latchkey/testkit/buildScript'
import { target, walletCalls } from '@latchkey/testkit/gateway/walletCalls'
import { testApiKey } from '@latchkey/testkit/signerApi'
import { predictModularAccountV2Address } from 'latchkey/accounts'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  expectWallet,
  type HooksBrowser,
  linkJourney,
  openHooksBrowser,
  passkeyJourney,
  waitForAccount,
} from '../published/hooksJourneys.ts'
import { type Stage, startStage } from '../published/startStage.ts'

// Runs the published React hooks of Account Kit 4.88.5 in Chromium, with its public hosts.

let stage: Stage
beforeAll(async () => {
  // Loaded separately, because the bundler drops a dependency that is imported only for its side effect.
  const reflect = await readFile(new URL('./node_modules/reflect-metadata/Reflect.js', import.meta.url), 'utf8')
  const script = await buildScript(new URL('./hooks.ts', import.meta.url), {
    define: { 'process.env.NODE_ENV': '"production"', 'process.env': '{}', global: 'globalThis' },
  })
  stage = await startStage({ scripts: [reflect, script], chainHost: 'eth-sepolia.g.alchemy.com', chainId: sepolia.id })
})
afterAll(() => stage?.close())

let browser: HooksBrowser
beforeEach(async () => {
  browser = await openHooksBrowser(stage)
})
afterEach(() => browser?.close())

/** Filters out errors that Account Kit itself throws if a hook runs before the signer connects or after a sign-out. */
const isOurs = (failure: string) => !/^SignerNotConnectedError|^Error: No orgId provided/.test(failure)

test('signs in by link, sends, signs, adds a passkey, exports the phrase, reloads and signs in again', async () => {
  await linkJourney(stage, browser, { emailMode: 'magicLink' })
  expect(browser.failures.filter(isOurs)).toEqual([])
})

test('signs up by passkey, sends a sponsored operation and reloads', async () => {
  await passkeyJourney(stage, browser)
  expect(browser.failures.filter(isOurs)).toEqual([])
})

test('does all of it with the default account, and grants permissions', async () => {
  const page = await linkJourney(stage, browser, { emailMode: 'magicLink' }, `${stage.appUrl}/?default-account`)
  const { address, user } = await waitForAccount(page)
  expect(address).toBe(predictModularAccountV2Address({ owner: user?.address ?? '0x' }))
  const key = privateKeyToAccount(generatePrivateKey())
  const permissions = [{ type: 'contract-access', data: { address: target } }]
  const context = await page.evaluate(
    ([publicKey, granted]) => window.laterHooks.grantPermissions(publicKey, granted),
    [key.address, permissions] as const,
  )
  const { app, chainId, setBalance } = stage.gateway
  const calls = walletCalls(() => ({ app, gateway: { apiKey: testApiKey, chainId, setBalance } }))
  const prepared = await calls.ask('wallet_prepareCalls', [
    calls.toCall(address, {
      calls: [{ to: target }],
      capabilities: { permissions: { context }, paymasterService: { policyId: 'default' } },
    }),
  ])
  expect(prepared.error).toBeUndefined()
  const signed = await calls.sign(key, prepared.result)
  const sent = await calls.ask('wallet_sendPreparedCalls', [{ ...signed, capabilities: { permissions: { context } } }])
  expect(await calls.settled(sent.result.id)).toMatchObject({ status: 200 })
  expect(browser.failures.filter(isOurs)).toEqual([])
})

test('signs up by code, sends an operation and follows the status of calls', async () => {
  const email = 'code@example.com'
  const page = await browser.open()
  await page.evaluate(
    (address) => void window.hooks.authenticate({ type: 'email', email: address, emailMode: 'otp' }).catch(() => {}),
    email,
  )
  await stage.mailed(email, page)
  const otpCode = stage.devnet.readCode(email)
  await page.evaluate(async (given) => void (await window.hooks.authenticate({ type: 'otp', otpCode: given })), otpCode)
  expect((await waitForAccount(page)).user).toMatchObject({ email })
  await expectWallet(page, stage)
  await page.evaluate(async () => void (await window.laterHooks.sendCalls()))
  await page.waitForFunction(() => window.laterHooks.callsStatus === 200)
})
