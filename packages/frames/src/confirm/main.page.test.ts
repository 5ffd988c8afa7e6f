import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { installSigner } from '@latchkey/testkit/contracts/modularAccountsV2'
import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { test } from '@latchkey/testkit/worker'
import { type Confirmation, confirmationPagePath, planPermissions } from 'latchkey-protocol'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  parseAbiParameters,
  parseEther,
  serializeTransaction,
  toHex,
} from 'viem'
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import { custodyApp } from '../../../server/src/custody/app.ts'
import { framesApp } from '../../../server/src/frames/app.ts'
import { listen } from '../../../server/src/platform/http/listen.ts'

// Runs on the served page with real custody.

const accountExport = 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT'

let browser: Browser
let context: BrowserContext
let custody: TestCustody
let service: listen.ReturnType
let frames: listen.ReturnType
test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  custody = await startTestCustody({ project: { name: 'Example Wallet', confirmations: 'mail' } })
  let app: Pick<Awaited<ReturnType<typeof custodyApp>>, 'fetch'> = custody.app
  service = await listen((request, env) => app.fetch(request, env), { port: 0 })
  const bundleSigningPublicKey = custody.bundleSigner
  const pages = await framesApp({ page: 'auth', projects: [], custodyUrl: service.url, bundleSigningPublicKey })
  frames = await listen((request, env) => pages.fetch(request, env), { port: 0 })
  app = await custodyApp({ ...custody.deps, confirmationUrl: `${frames.url}${confirmationPagePath}` })
})
afterAll(async () => {
  await Promise.all([frames?.close(), service?.close()])
  await custody?.close()
})
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 360, height: 740 } })
})
afterEach(() => context.close())

/** Requests an export to a key of the app's page and returns the secret in the confirmation link. */
async function askExport(type: 'ACTIVITY_TYPE_EXPORT_WALLET' | 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT' = accountExport) {
  const user = await custody.createUser()
  const { targetPublicKey } = await createTestFrame()
  const { body: listed } = await custody.call('query/list_wallets', { organizationId: user.orgId }, user.key)
  const target = type === accountExport ? { address: user.address } : { walletId: listed.wallets[0].walletId }
  const request = custody.activity(type, user.orgId, { ...target, targetPublicKey })
  const path = `submit/${type.replace('ACTIVITY_TYPE_', '').toLowerCase()}`
  const send = () => custody.call(path, request, user.key)
  const { body } = await send()
  const { content } = await custody.readQueued(body.activity.id, 'confirm')
  const secret = new URL(('link' in content && content.link) || '').hash.slice(1)
  return { user, secret, status: async () => (await send()).body.activity.status as string }
}

const pageUrl = (secret: string) => `${frames.url}${confirmationPagePath}#${secret}`
async function open(secret: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(pageUrl(secret))
  return page
}
const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Expects no axe violations and no horizontal overflow in light, dark and forced colors. */
async function expectClean(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await findViolations(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light', forcedColors: 'active' })
  expect(await findViolations(page)).toEqual([])
  await page.emulateMedia({ forcedColors: 'none' })
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBe(0)
}

test('shows the request, and the exported key once it is confirmed', async () => {
  const { user, secret, status } = await askExport()
  let answer = () => {}
  const slow = new Promise<void>((resolve) => {
    answer = resolve
  })
  const page = await context.newPage()
  await page.route('**/confirmation/read', async (route) => {
    await slow
    await route.continue()
  })
  await page.goto(pageUrl(secret))
  await heading(page, 'One moment…')
  expect(await button(page, 'Show my private key').isVisible()).toBe(false)
  answer()
  await heading(page, 'Show your private key?')
  const text = await page.locator('main').textContent()
  for (const part of ['Example Wallet', user.email, user.address]) expect(text).toContain(part)
  // The page removes the link's secret from the URL and the history.
  expect(page.url()).toBe(`${frames.url}${confirmationPagePath}`)
  await expectClean(page)
  // Clicks by scripts must have no effect.
  await page.evaluate(() => document.getElementById('accept')?.click())
  expect(await status()).toBe('ACTIVITY_STATUS_PENDING')
  await button(page, 'Show my private key').click()
  await heading(page, 'Private key')
  await expectClean(page)
  const key = (await page.locator('#secret').textContent()) as Hex
  expect(privateKeyToAddress(key)).toBe(user.address)
  expect(await status()).toBe('ACTIVITY_STATUS_COMPLETED')
  await button(page, "I've saved it").click()
  await heading(page, 'Done')
  expect(await page.content()).not.toContain(key)
  // Neither reopening the link nor a reload shows the secret again.
  const again = await open(secret)
  await heading(again, 'Your private key was shown')
  await expectClean(again)
})

test('shows every call of a signature, and signs on Confirm', async () => {
  const user = await custody.createUser()
  const stranger = `0x${'b2'.repeat(20)}` as const
  const abi = parseAbi([
    'function executeBatch((address target, uint256 value, bytes data)[] calls)',
    'function updateOwners(address[] ownersToAdd, address[] ownersToRemove)',
  ])
  const change = encodeFunctionData({ abi, functionName: 'updateOwners', args: [[stranger], []] })
  const calls = [
    { target: stranger, value: parseEther('0.5'), data: '0x' },
    { target: user.address as Address, value: 0n, data: change },
  ] as const
  const callData = encodeFunctionData({ abi, functionName: 'executeBatch', args: [calls] })
  const request = custody.activity('ACTIVITY_TYPE_SIGN_TRANSACTION_V2', user.orgId, {
    signWith: user.address,
    type: 'TRANSACTION_TYPE_ETHEREUM',
    unsignedTransaction: serializeTransaction({
      type: 'eip1559',
      chainId: 1,
      to: user.address as Address,
      data: callData,
    }),
  })
  const send = () => custody.call('submit/sign_transaction', request, user.key)
  const { body } = await send()
  const { content } = await custody.readQueued(body.activity.id, 'confirm')
  const page = await open(new URL(('link' in content && content.link) || '').hash.slice(1))
  await heading(page, 'Change who owns your account?')
  const rows = await page.locator('#facts > div').allTextContents()
  expect(rows.slice(1, 8)).toEqual([
    'Call 1 of 2Send native currency',
    `Recipient${getAddress(stranger)}`,
    'Value0.5',
    'Call 2 of 2Change owners',
    `New owner${getAddress(stranger)}`,
    `Contract${user.address}`,
    `Owner key${user.address}`,
  ])
  await expectClean(page)
  await button(page, 'Confirm').click()
  await heading(page, 'Done')
  expect((await send()).body.activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('says in one sentence what a key is granted', async () => {
  const user = await custody.createUser()
  const [account, key, shop] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`, `0x${'c3'.repeat(20)}`] as const
  const plan = planPermissions({
    account,
    entityId: 7,
    permissions: [
      { type: 'contract-access', data: { address: shop } },
      { type: 'native-token-transfer', data: { allowance: toHex(parseEther('0.1')) } },
    ],
    expirySec: Date.UTC(2030, 11, 3) / 1000,
  })
  if ('refused' in plan) throw new RangeError(plan.refused)
  const hooks = plan.hooks.map(({ module, entityId, hookType, types, values }) => {
    const config = concatHex([module, toHex(entityId, { size: 4 }), hookType === 'Validation' ? '0x01' : '0x04'])
    return concatHex([config, encodeAbiParameters(parseAbiParameters(types), values)])
  })
  const typedData = {
    domain: { chainId: 1, verifyingContract: account },
    types: {
      DeferredAction: [
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint48' },
        { name: 'call', type: 'bytes' },
      ],
    },
    primaryType: 'DeferredAction',
    message: { nonce: 1, deadline: 0, call: installSigner(key, 7, { selectors: plan.selectors, hooks }) },
  }
  const request = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', user.orgId, {
    encoding: 'PAYLOAD_ENCODING_EIP712',
    hashFunction: 'HASH_FUNCTION_NO_OP',
    signWith: user.address,
    payload: JSON.stringify(typedData),
  })
  const { body } = await custody.call('submit/sign_raw_payload', request, user.key)
  const { content } = await custody.readQueued(body.activity.id, 'confirm')
  const page = await open(new URL(('link' in content && content.link) || '').hash.slice(1))
  await heading(page, 'Change what may act for your account?')
  const rows = await page.locator('#facts > div').allTextContents()
  const short = (address: Address) => `${getAddress(address).slice(0, 6)}…${getAddress(address).slice(-4)}`
  expect(rows.slice(1, 8)).toEqual([
    `What is signedLet key ${short(key)} call ${short(shop)}, and spend up to 0.1 in native currency and any amount of network fees, until Dec 3, 2030`,
    `Key${getAddress(key)}`,
    `Contract${getAddress(shop)}`,
    'Native currencyUp to 0.1',
    'Network feesNo limit',
    'EndsDec 3, 2030, 00:00 UTC',
    `Smart account${getAddress(account)}`,
  ])
  await expectClean(page)
})

test('names the account to a new address, whose refusal ends no session', async () => {
  const passkey = createAuthenticator()
  const user = await custody.createUser({ passkeys: [passkey.register()] })
  const email = `new.${user.email}`
  const parameters = { userId: user.userId, userEmail: email }
  const request = custody.activity('ACTIVITY_TYPE_UPDATE_USER', user.orgId, parameters)
  const { body } = await custody.call('submit/update_user', request, user.key)
  const readSecret = async (template: string) => {
    const { content } = await custody.readQueued(body.activity.id, template)
    return new URL(('link' in content && content.link) || '').hash.slice(1)
  }
  const first = await open(await readSecret('confirm'))
  await button(first, 'Confirm').click()
  await heading(first, 'One more email')
  await first.getByText(`Now open the email we sent to ${email}`).waitFor()
  await expectClean(first)
  // The owner of the new e-mail address must not see the current one.
  const page = await open(await readSecret('prove'))
  await heading(page, 'Use this address to sign in?')
  const text = (await page.locator('main').textContent()) ?? ''
  for (const part of [email, user.address, 'a passkey added on ']) expect(text).toContain(part)
  expect(text.replaceAll(email, '')).not.toContain(user.email)
  await expectClean(page)
  await button(page, 'Decline').click()
  await heading(page, 'Declined')
  expect(await button(page, 'Sign out everywhere').isVisible()).toBe(false)
  await expectClean(page)
})

test('shows the decision of one tab in the other', async () => {
  const { secret, status } = await askExport()
  const [first, second] = [await open(secret), await open(secret)]
  for (const page of [first, second]) await heading(page, 'Show your private key?')
  await button(first, 'Decline').click()
  await heading(first, 'Declined')
  await expectClean(first)
  await button(second, 'Show my private key').click()
  await heading(second, 'Declined')
  expect(await status()).not.toBe('ACTIVITY_STATUS_COMPLETED')
  await heading(await open(secret), 'Declined')
})

test('explains an expired, an unknown and a cut link', async () => {
  const { secret } = await askExport()
  const page = await open(secret)
  await heading(page, 'Show your private key?')
  custody.advance(16 * 60_000)
  try {
    await button(page, 'Show my private key').click()
    await heading(page, 'This link has expired')
    await expectClean(page)
    await heading(await open(secret), 'This link has expired')
  } finally {
    custody.advance(-16 * 60_000)
  }
  for (const [end, text] of [
    ['A'.repeat(43), /./],
    ['', /link is incomplete/],
  ] as const) {
    const broken = await open(end)
    await broken.getByRole('alert').filter({ hasText: text }).waitFor()
    expect(await broken.getByRole('button').count()).toBe(0)
    await expectClean(broken)
  }
})

test('decides nothing while custody is unreachable, and says so', async () => {
  const { secret, status } = await askExport()
  const page = await open(secret)
  await heading(page, 'Show your private key?')
  await page.route('**/confirmation/decide', (route) => route.abort())
  await button(page, 'Show my private key').click()
  await page.getByRole('alert').filter({ hasText: 'Nothing was decided; try again.' }).waitFor()
  expect(await status()).toBe('ACTIVITY_STATUS_PENDING')
  await expectClean(page)
  await page.unroute('**/confirmation/decide')
  await button(page, 'Show my private key').click()
  await heading(page, 'Private key')
})

test('shows a secret whose response was lost, and hides it while the tab is hidden', async () => {
  const { user, secret } = await askExport('ACTIVITY_TYPE_EXPORT_WALLET')
  const page = await open(secret)
  await heading(page, 'Show your recovery phrase?')
  await page.route('**/confirmation/decide', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await button(page, 'Show my recovery phrase').click()
  await heading(page, 'Recovery phrase')
  await expectClean(page)
  const phrase = (await page.locator('#secret').textContent()) ?? ''
  expect(mnemonicToAccount(phrase).address).toBe(user.address)
  const setHidden = (isHidden: boolean) =>
    page.evaluate((hidden) => {
      Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, isHidden)
  await setHidden(true)
  expect(await page.locator('#secret').textContent()).toBe('')
  await setHidden(false)
  expect(await page.locator('#secret').textContent()).toBe(phrase)
})

test('shows texts of others as inert text', async () => {
  const markup = '<img src=x onerror="document.title=1"><a href="javascript:alert(1)">Confirm</a>'
  const confirmation: Confirmation = {
    kind: 'confirm',
    action: 'add-key',
    state: 'open',
    app: `${markup}${'W'.repeat(300)}`,
    organizationId: 'o'.repeat(300),
    email: `\u202Emoc.elpmaxe@${'a'.repeat(240)}`,
    requestedAtMs: 8_640_000_000_000_001,
    expiresAtMs: 1,
    detail: `1,000,000 ETH\n\n${markup}\u2066${'9'.repeat(500)}`,
    requestedFrom: `${markup}\u0000\u200B`,
    keyFingerprint: '0000 0000 0000 0000',
  }
  const page = await context.newPage()
  const headers = { 'access-control-allow-origin': '*' }
  await page.route('**/confirmation/read', (route) => route.fulfill({ json: { confirmation }, headers }))
  await page.goto(pageUrl('A'.repeat(43)))
  await heading(page, 'Add a key that can use your wallet?')
  expect(await page.locator('main img, main a').count()).toBe(0)
  expect(await page.title()).toBe('Confirm')
  await expectClean(page)
  // Bidirectional and invisible characters must not be rendered.
  expect(await page.locator('main').textContent()).not.toMatch(/[\u202E\u2066\u200B]/)
  expect(await button(page, 'Confirm').isVisible()).toBe(true)
})
