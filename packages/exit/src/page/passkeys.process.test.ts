import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { demo, mint } from '@latchkey/testkit/demoToken'
import { localhostCertificate } from '@latchkey/testkit/localhostCertificate'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { type Listening, listen, readBody } from '@latchkey/testkit/signer/listen'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import {
  addOwner,
  describeAccount,
  type LatchkeyAccount,
  rotateOwner,
  toLightAccount,
  toModularAccount,
  toModularAccountV2,
  toMultiOwnerLightAccount,
  withOwner,
} from 'latchkey/accounts'
import { addAuthenticator, launchBrowser } from 'latchkey-dev/testing'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { type Address, createWalletClient, getAddress, http, parseEther } from 'viem'
import { english, generateMnemonic, generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The page is on localhost, the site of the passkeys. Only a node runs when it moves anything.

const stage = setChain()
const build = fileURLToPath(new URL('../../build.mjs', import.meta.url))
const rpId = 'localhost'
const gasKey = generatePrivateKey()

let browser: Browser
let site: Listening
let node: Listening
let home: string
let file: string

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'latchkey-exit-passkeys-'))
  file = join(home, 'exit.html')
  browser = await launchBrowser({ light: true })
  await promisify(execFile)(process.execPath, [build, file])
  site = await listen((_, response) => response.setHeader('content-type', 'text/html').end(readFileSync(file)))
  node = await listen(async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Allow-Headers', '*')
    if (request.method === 'OPTIONS') return void response.end()
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(stage.nodeUrl, { method: 'POST', headers, body: await readBody(request) })
    response.end(await reply.text())
  })
  await stage.tester.setBalance({ address: privateKeyToAccount(gasKey).address, value: parseEther('10') })
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
  await node?.close()
  rmSync(home, { recursive: true, force: true })
})

const payer = () =>
  createWalletClient({ account: privateKeyToAccount(gasKey), chain: stage.chain, transport: http(stage.nodeUrl) })
const connect = (account: LatchkeyAccount) => stage.createBundler(account)
const etherOf = (address: Address) => stage.reader.getBalance({ address })

async function openPage(options: BrowserContextOptions & { url?: string } = {}) {
  const { url = site.url, ...rest } = options
  const context = await browser.newContext({ viewport: { width: 360, height: 800 }, ...rest })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const device = await addAuthenticator(page)
  const asked = new Set<string>()
  page.on('request', (request) => asked.add(new URL(request.url()).origin))
  await page.goto(url)
  return { context, page, device, asked }
}

async function at(page: Page, name: string) {
  const failure = page.locator('.failure:not(:empty)')
  await page.getByRole('heading', { name }).or(failure).first().waitFor()
  expect(await failure.allInnerTexts()).toEqual([])
}
const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
const refuses = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor()

async function enterAccount(page: Page, descriptor: object) {
  await page.getByLabel('or its text').fill(JSON.stringify(descriptor))
  await page.getByLabel('Node of its chain').fill(node.url)
  await press(page, 'Read the account')
  await at(page, 'The owner’s key')
}

async function reachCheck(page: Page, to: Address) {
  await page.getByLabel('Key that pays the gas').fill(gasKey)
  await press(page, 'Use a passkey')
  await at(page, 'What it holds')
  await press(page, 'Choose a receiver')
  await page.getByRole('textbox', { name: 'Receiver' }).fill(to)
  await press(page, 'Try it out')
  await at(page, 'Is all of this right?')
}

type Owned = { descriptor: object; address: Address; passkey: ReturnType<typeof newPasskey> }

/** Adds a passkey to an account, and removes its first key where the account has room for one owner only. */
async function own(
  create: (owner: ReturnType<typeof newKey>) => Promise<LatchkeyAccount>,
  site = rpId,
): Promise<Owned> {
  const passkey = newPasskey()
  const account = await stage.funded(await create(newKey()))
  if (account.source === 'LightAccount')
    await rotateOwner({ accounts: [account], to: passkey, keep: [], connect, allowSinglePasskey: true })
  else await addOwner(connect(account), { owner: passkey, waitForTxn: true })
  await waitForTransaction(stage.reader, await payer().sendTransaction(mint(account.address, 70n)))
  const signer = account.source === 'LightAccount' ? await withOwner({ account, owner: passkey }) : account
  const descriptor = await describeAccount({ account: signer, rpId: site, passkeys: [passkey], assets: [demo] })
  return { descriptor, address: account.address, passkey }
}

const families: [string, () => Promise<Owned>][] = [
  ['LightAccount v1.1.0', () => own((owner) => toLightAccount({ client: stage.reader, owner }))],
  ['LightAccount v2.0.0', () => own((owner) => toLightAccount({ client: stage.reader, owner, version: 'v2.0.0' }))],
  ['MultiOwnerLightAccount', () => own((owner) => toMultiOwnerLightAccount({ client: stage.reader, owner }))],
  ['MultiOwnerModularAccount', () => own((owner) => toModularAccount({ client: stage.reader, owner }))],
  ['ModularAccountV2', () => own((owner) => toModularAccountV2({ client: stage.reader, owner }))],
  [
    'ModularAccountV2 that a passkey created and that is not deployed',
    async () => {
      const passkey = newPasskey()
      const account = await stage.funded(await toModularAccountV2({ client: stage.reader, owner: passkey }))
      // Without its id, the browser offers the passkeys of the site.
      const descriptor = await describeAccount({ account, rpId })
      return { descriptor, address: account.address, passkey }
    },
  ],
]

test.each(families)('moves all assets of a %s by its passkey', async (name, create) => {
  const { descriptor, address, passkey } = await create()
  const to = newKey().address
  const held = await etherOf(address)
  const tokens = await stage.balanceOf(address)
  const { context, page, device, asked } = await openPage()
  await device.add(passkey.credential)
  await enterAccount(page, descriptor)
  expect(await page.getByRole('radio', { name: `Passkey of ${rpId}` }).isChecked(), name).toBe(true)
  await reachCheck(page, to)
  const count = async () => (await device.credentials())[0]?.signCount
  const before = await count()
  await page.locator('#terms', { hasText: 'Shown once your passkey has signed' }).waitFor()
  await press(page, 'Sign with your passkey')
  await page.getByRole('status').filter({ hasText: 'Nothing is sent yet' }).waitFor()
  expect([await count(), await etherOf(to)]).toEqual([(before ?? 0) + 1, 0n])
  await press(page, 'Move it now')
  await at(page, 'Moved')
  expect([await etherOf(address), await etherOf(to)]).toEqual([0n, held])
  expect([await stage.balanceOf(address), await stage.balanceOf(to)]).toEqual([0n, tokens])
  expect([...asked].sort()).toEqual([node.url, site.url].sort())
  expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(gasKey.slice(2))
  await context.close()
})

test.each([
  ['MultiOwnerLightAccount', toMultiOwnerLightAccount],
  ['ModularAccountV2', toModularAccountV2],
] as const)('finds a passkey on the chain that the descriptor of a %s does not name', async (_, create) => {
  const [owner, passkey] = [newKey(), newPasskey()]
  const account: LatchkeyAccount = await stage.funded(await create({ client: stage.reader, owner }))
  const descriptor = await describeAccount({ account })
  await addOwner(connect(account), { owner: passkey, waitForTxn: true })
  const to = newKey().address
  const { context, page, device } = await openPage()
  await device.add(passkey.credential)
  await enterAccount(page, descriptor)
  expect(await page.getByRole('radio', { name: 'Passkey of localhost, found on the chain' }).isChecked()).toBe(true)
  await reachCheck(page, to)
  await press(page, 'Sign with your passkey')
  await page.getByRole('status').filter({ hasText: 'Nothing is sent yet' }).waitFor()
  await press(page, 'Move it now')
  await at(page, 'Moved')
  expect(await etherOf(account.address)).toBe(0n)
  expect(await etherOf(to)).toBeGreaterThan(0n)
  await context.close()
})

test('sends nothing if the prompt is closed, the user is not verified or the passkey is another', async () => {
  const { descriptor, address, passkey } = await own((owner) => toModularAccountV2({ client: stage.reader, owner }))
  const held = await etherOf(address)
  const { context, page, device } = await openPage()
  await enterAccount(page, descriptor)
  await reachCheck(page, newKey().address)
  // The device has no such passkey.
  await press(page, 'Sign with your passkey')
  await refuses(page, 'The passkey did not sign: the prompt was closed')
  await device.add(passkey.credential)
  await device.setUserVerified(false)
  await press(page, 'Sign with your passkey')
  await refuses(page, 'The passkey did not sign: the prompt was closed')
  await device.setUserVerified(true)
  await device.clear()
  const { privateKey } = newPasskey().credential
  await device.add({ ...passkey.credential, privateKey })
  await press(page, 'Sign with your passkey')
  await refuses(page, 'it is of another passkey')
  expect(await page.getByRole('button', { name: 'Move it now' }).count()).toBe(0)
  expect(await etherOf(address)).toBe(held)
  await context.close()
})

test('refuses a passkey that no longer owns the account', async () => {
  for (const create of [toMultiOwnerLightAccount, toModularAccountV2]) {
    const { descriptor, address, passkey } = await own((owner) => create({ client: stage.reader, owner }))
    const account = await create({ client: stage.reader, owner: newKey(), accountAddress: address })
    const byPasskey = await withOwner({ account, owner: passkey })
    await rotateOwner({ accounts: [byPasskey], to: newKey(), keep: [], connect })
    const { context, page } = await openPage()
    await enterAccount(page, descriptor)
    await page.getByLabel('Key that pays the gas').fill(gasKey)
    await press(page, 'Use a passkey')
    await refuses(page, 'The passkey is no owner of the account on this chain.')
    await context.close()
  }
})

test('says where a passkey of another site works, and offers the key', async () => {
  const phrase = generateMnemonic(english)
  const owner = mnemonicToAccount(phrase)
  const account = await stage.funded(await toMultiOwnerLightAccount({ client: stage.reader, owner }))
  await addOwner(connect(account), { owner: newPasskey(), waitForTxn: true })
  const elsewhere = await describeAccount({ account, rpId: 'wallet.example' })
  const here = await describeAccount({ account, rpId })
  for (const [url, descriptor, texts] of [
    [site.url, elsewhere, ['on wallet.example, and this page is on localhost', 'https://wallet.example/exit.html']],
    [site.url, elsewhere, ['https://wallet.example/.well-known/webauthn with the JSON {"origins":["https://']],
    [pathToFileURL(file).href, here, ['on localhost, and this page is a file', 'http://localhost:8000/exit.html']],
    [site.url.replace('localhost', '127.0.0.1'), here, ['on localhost, and this page is on 127.0.0.1']],
  ] as const) {
    const { context, page } = await openPage({ url })
    await enterAccount(page, descriptor)
    expect(await page.getByRole('radio', { name: 'Passkey' }).isDisabled()).toBe(true)
    const help = (await page.locator('#passkey-help').textContent()) ?? ''
    for (const text of texts) expect(help).toContain(text)
    await page.getByLabel('Recovery phrase or private key').fill(phrase)
    await page.getByLabel('Key that pays the gas').fill(gasKey)
    await press(page, 'Use this key')
    await at(page, 'What it holds')
    await context.close()
  }
})

test('signs on another site if the site of the passkey allows it (related origins)', async () => {
  const { descriptor, passkey, address } = await own(
    (owner) => toModularAccountV2({ client: stage.reader, owner }),
    'wallet.example',
  )
  let origins: string[] = []
  // One server stands for both sites.
  const server = createServer(localhostCertificate, ({ url }, response) => {
    const isList = url === '/.well-known/webauthn'
    response.setHeader('content-type', isList ? 'application/json' : 'text/html')
    response.end(isList ? JSON.stringify({ origins }) : readFileSync(file))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const hosts = ['wallet.example', 'exit.example'].map((host) => `MAP ${host}:443 127.0.0.1:${port}`)
  const args = [`--host-resolver-rules=${hosts.join()}`, '--ignore-certificate-errors']
  const other = await launchBrowser({ light: true, args })
  const page = await other.newPage({ ignoreHTTPSErrors: true })
  const device = await addAuthenticator(page)
  await device.add({ ...passkey.credential, rpId: 'wallet.example' })
  await page.goto('https://exit.example/exit.html')
  await enterAccount(page, descriptor)
  await page.getByText('Your browser asks wallet.example whether that is allowed.').waitFor()
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('radio', { name: 'Passkey of wallet.example' }).check()
  const to = newKey().address
  await reachCheck(page, to)
  await press(page, 'Sign with your passkey')
  await refuses(page, 'exit.example may not use the passkeys of wallet.example. Nothing was sent.')
  await refuses(page, 'https://wallet.example/.well-known/webauthn with the JSON {"origins":["https://exit.example"]}')
  origins = ['https://exit.example']
  await press(page, 'Sign with your passkey')
  await page.getByRole('status').filter({ hasText: 'Nothing is sent yet' }).waitFor()
  await press(page, 'Move it now')
  await at(page, 'Moved')
  expect(await etherOf(address)).toBe(0n)
  expect(await etherOf(to)).toBeGreaterThan(0n)
  await other.close()
  await new Promise((resolve) => server.close(resolve))
})

test('needs a key that pays the gas', async () => {
  const { descriptor } = await own((owner) => toMultiOwnerLightAccount({ client: stage.reader, owner }))
  const { context, page } = await openPage()
  await enterAccount(page, descriptor)
  await press(page, 'Use a passkey')
  expect(await page.locator('#gas-key:invalid').count()).toBe(1)
  await page.getByLabel('Key that pays the gas').fill('legal winner')
  await press(page, 'Use a passkey')
  await refuses(page, 'The key that pays the gas is neither')
  await page.getByLabel('Key that pays the gas').fill(generatePrivateKey())
  await press(page, 'Use a passkey')
  await at(page, 'What it holds')
  await press(page, 'Choose a receiver')
  await page.getByRole('textbox', { name: 'Receiver' }).fill(newKey().address)
  await press(page, 'Try it out')
  await page.getByText('has too little for the fee').waitFor()
  expect(await page.getByRole('button', { name: 'Sign with your passkey' }).getAttribute('aria-disabled')).toBe('true')
  await context.close()
})

test('passes axe at 360 and 1280 px, light and dark, by keyboard alone', async () => {
  const { descriptor, address, passkey } = await own((owner) => toModularAccount({ client: stage.reader, owner }))
  for (const [width, colorScheme] of [
    [360, 'light'],
    [360, 'dark'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const) {
    await stage.tester.setBalance({ address, value: parseEther('1') })
    const { context, page, device } = await openPage({ colorScheme, viewport: { width, height: 800 } })
    await device.add(passkey.credential)
    const expectClean = async (what: string) => {
      const name = `${what}-${width}-${colorScheme}`
      expect(await findViolations(page), name).toEqual([])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([name, overflow]).toEqual([name, 0])
      if (process.env.LATCHKEY_PICTURES)
        await page.screenshot({ path: join(process.env.LATCHKEY_PICTURES, `${name}.png`), fullPage: true })
    }
    await enterAccount(page, descriptor)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('way-0')
    await expectClean('passkey')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('button', { name: 'Use this key' }).waitFor()
    await expectClean('passkey-or-key')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Tab')
    await page.keyboard.insertText(gasKey)
    await page.keyboard.press('Enter')
    await at(page, 'What it holds')
    await press(page, 'Choose a receiver')
    await page.keyboard.press('Tab')
    await page.keyboard.insertText(getAddress('0x00000000000000000000000000000000000e0417'))
    await page.keyboard.press('Enter')
    await at(page, 'Is all of this right?')
    await expectClean('passkey-check')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Nothing is sent yet' }).waitFor()
    // The same button then sends, so it keeps the focus.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('send')
    await expectClean('passkey-signed')
    await page.keyboard.press('Enter')
    await at(page, 'Moved')
    await context.close()
  }
  const { context, page } = await openPage({ url: pathToFileURL(file).href })
  await enterAccount(page, descriptor)
  expect(await findViolations(page)).toEqual([])
  if (process.env.LATCHKEY_PICTURES)
    await page.screenshot({ path: join(process.env.LATCHKEY_PICTURES, 'passkey-elsewhere-360.png'), fullPage: true })
  await context.close()
})
