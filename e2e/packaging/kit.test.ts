import {
  createInbox,
  createPageClock,
  createPageFaults,
  createScriptWallet,
  createSoftwarePasskey,
  createTestWallet,
  followDevnet,
  noPeople,
  operationMatchers,
  type TestOperation,
} from 'latchkey-dev/testing'
import type { BrowserContext } from 'playwright-core'
import { createPublicClient, http } from 'viem'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { setStage } from '../../test/setStage.ts'
import { newEmail } from '../signUp.ts'
import { openWallet } from '../WalletPage.ts'

/* Uses the kit on the example wallet like an app's own tests. e2e/sampleApp covers the test runners. */

// Starts its own devnet, because faults and clock affect the whole devnet.
const stage = setStage({})
const target = '0x000000000000000000000000000000000000dEaD'
const notes: string[] = []
const people = noPeople()
let inbox: createInbox.ReturnType

beforeAll(() => {
  inbox = createInbox(stage.devnet, async () => stage.browser)
})
afterEach(async () => {
  notes.length = 0
  await stage.devnet.faults.clear()
})

function walletIn(context: BrowserContext) {
  const { devnet } = stage
  const url = devnet.urls.wallet
  return createTestWallet({
    devnet,
    context,
    appUrl: url,
    devnetUrl: url,
    inbox,
    people,
    note: (text) => notes.push(text),
  })
}

function hold(operation: TestOperation, name: keyof typeof operationMatchers, reason?: string): void {
  const { pass, message } = operationMatchers[name](operation, reason)
  if (!pass) throw new Error(message())
}

test('signs in outside the app, which finds the session, and sends', async () => {
  const context = await stage.newContext()
  const wallet = walletIn(context)
  const { address } = await wallet.signIn({ email: newEmail() })
  const operation = await wallet.send({ target })
  hold(operation, 'toBeIncluded')
  hold(operation, 'toBeSponsored')
  expect(() => hold(operation, 'toHaveReverted')).toThrow('paid by a paymaster')
  const page = await openWallet(context, stage.devnet.urls.wallet)
  expect(await page.signedInAddress()).toBe(address)
  await wallet.signOut()
  await page.signIn.waitFor()
})

test('signs a named person in again by mail and notes it', async () => {
  const { address, email = '' } = await walletIn(await stage.newContext()).as('grace')
  expect(notes).toEqual([])
  expect(await walletIn(await stage.newContext()).as('grace')).toEqual({ address, email })
  expect(notes).toEqual([expect.stringContaining("'grace' has signed in again by email")])
})

test('chooses the newest of several software passkeys without user verification', async () => {
  const context = await stage.newContext()
  const passkey = createSoftwarePasskey({ counts: true, verifiesUser: false })
  await passkey.installIn(context)
  const wallet = walletIn(context)
  const first = await wallet.signIn({ passkey: { username: 'Ada' } })
  await wallet.signOut()
  const second = await wallet.signIn({ passkey: { username: 'Grace' } })
  expect(second.address).not.toBe(first.address)
  expect(passkey.ids()).toHaveLength(2)
  hold(await wallet.send({ target }), 'toBeSponsored')
  await wallet.signOut()
  // Signing in with the newest passkey must keep working while its counter increases.
  for (let times = 0; times < 2; times++) {
    expect(await wallet.signIn({ passkey: true })).toMatchObject({ address: second.address })
    await wallet.signOut()
  }
})

test('signs in a script account without a browser, which pays for itself without a policy', async () => {
  const ada = await createScriptWallet(stage.devnet, 'ada')
  expect((await createScriptWallet(stage.devnet, 'ada')).address).toBe(ada.address)
  hold(await ada.send([{ target }, { target }]), 'toBeSponsored')
  const poor = await createScriptWallet(stage.devnet, 'poor', { policyId: null })
  hold(await poor.send({ target }), 'toHaveReverted', 'AA21')
})

const readBaseFee = async () =>
  (await createPublicClient({ transport: http(stage.devnet.urls.node) }).getBlock()).baseFeePerGas ?? 0n

test('plants a spike of fees, and refuses an unknown fault', async () => {
  const { faults } = stage.devnet
  const ada = await createScriptWallet(stage.devnet, 'ada')
  const usual = await readBaseFee()
  const cheap = await faults.begin('fee-spike')
  expect(await readBaseFee()).toBe(usual * 100n)
  hold(await ada.send({ target }), 'toBeSponsored')
  await cheap()
  expect(await readBaseFee()).toBe(usual)
  await expect(faults.begin('nothing' as 'fee-spike')).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})

test('plants faults of custody, frame, storage and windows in a page', async () => {
  const context = await stage.newContext()
  const faults = createPageFaults(stage.devnet, context)
  const wallet = walletIn(context)
  await wallet.signIn()
  const busy = await faults.begin('custody-429', { times: 1 })
  expect(await fetch(`${stage.devnet.urls.custody}/public/v1/query/whoami`, { method: 'POST' })).toMatchObject({
    status: 429,
  })
  await busy()
  const page = await openWallet(context, stage.devnet.urls.wallet)
  await page.signedInAddress()
  await faults.begin('popup-blocked')
  expect(await page.page.evaluate('window.open("about:blank")')).toBeNull()
  await faults.clear()
  await faults.begin('storage-purged')
  await page.page.reload()
  await page.signIn.waitFor()
  await faults.begin('frame-never-ready', { times: 1 })
  const silent = walletIn(await stage.newContext())
  await expect(silent.signIn()).rejects.toThrow(/frame/i)
})

test('shows custody faults on the page until they pass', async () => {
  const context = await stage.newContext()
  const faults = createPageFaults(stage.devnet, context)
  await walletIn(context).signIn()
  const wallet = await openWallet(context, stage.devnet.urls.wallet)
  await wallet.signedInAddress()
  for (const [name, text] of [
    ['custody-429', 'Too many requests. Try again in 1 second.'],
    ['custody-consensus', 'ACTIVITY_STATUS_CONSENSUS_NEEDED'],
  ] as const) {
    await faults.begin(name)
    await wallet.mint.click()
    await wallet.alert.filter({ hasText: text }).first().waitFor()
    await faults.clear()
  }
  await faults.begin('custody-slow', { delayMs: 1_500, times: 1 })
  await wallet.mint.click()
  await wallet.page.getByText('Minted 100 DEMO').last().waitFor()
})

test('moves the time of devnet and pages together and renews an expired kept session', async () => {
  const context = await stage.newContext()
  const clock = await createPageClock(stage.devnet.clock, context)
  const wallet = walletIn(context)
  const { address } = await wallet.as('lise', 'passkey')
  await clock.advance('16m')
  const later = await stage.newContext()
  await followDevnet(stage.devnet.clock, later)
  expect(await walletIn(later).as('lise', 'passkey')).toMatchObject({ address })
  expect(notes).toEqual([expect.stringContaining("'lise' has signed in again by passkey")])
  // The bundler's clock must move, too, because it checks the validity time of a sponsorship.
  hold(await (await createScriptWallet(stage.devnet, 'ada')).send({ target }), 'toBeSponsored')
})
