import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { readArtifact, startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { type Listening, listen, readBody } from '@latchkey/testkit/signer/listen'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { describeAccount } from 'latchkey/accounts'
import { launchBrowser } from 'latchkey-dev/testing'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import {
  type Address,
  concat,
  createWalletClient,
  encodeDeployData,
  encodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  parseAbi,
  parseEther,
  size,
  toHex,
} from 'viem'
import { english, generateMnemonic, generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { readContract } from 'viem/actions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accountKinds } from '../accountKinds.ts'
import { connectChain } from '../connectChain.ts'
import { makeAccount } from '../makeAccount.ts'

// The page runs from a file against a chain, without a bundler, a paymaster or a server of ours.

const build = fileURLToPath(new URL('../../build.mjs', import.meta.url))
const to = getAddress('0x00000000000000000000000000000000000e0417')
const abi = parseAbi([
  'function give(address to, uint256 id)',
  'function give(address to, uint256 id, uint256 amount)',
  'function ownerOf(uint256 id) view returns (address)',
  'function balanceOf(address owner, uint256 id) view returns (uint256)',
])

let chain: TestChain
let browser: Browser
let node: Listening
let home: string
let url: string
let sender: ReturnType<typeof createSender>
let nfts: Address
let items: Address
let gasKey: Hex

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'latchkey-exit-page-'))
  const file = join(home, 'exit.html')
  ;[chain, browser] = await Promise.all([startTestChain(), launchBrowser({ light: true })])
  node = await openNode()
  await promisify(execFile)(process.execPath, [build, file])
  url = pathToFileURL(file).href
  sender = createSender()
  await chain.request('anvil_setBalance', [sender.account.address, toHex(parseEther('10'))])
  ;[nfts, items] = [await deploy('Collection721'), await deploy('Collection1155')]
  gasKey = (await chain.freshAccount()).privateKey
})
afterAll(async () => {
  await browser?.close()
  await node?.close()
  await chain?.close()
  rmSync(home, { recursive: true, force: true })
})

/** Like a public node, and unlike our own, this node allows any web page. */
const openNode = () =>
  listen(async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Allow-Headers', '*')
    if (request.method === 'OPTIONS') return void response.end()
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(chain.nodeUrl, { method: 'POST', headers, body: await readBody(request) })
    response.end(await reply.text())
  })

const createSender = () =>
  createWalletClient({ account: privateKeyToAccount(generatePrivateKey()), transport: http(chain.nodeUrl) })

async function deploy(name: string): Promise<Address> {
  return (await transact({ data: encodeDeployData(readArtifact(name)) })).contractAddress ?? '0x'
}
const transact = async (transaction: { to?: Address; data: Hex }) =>
  waitForTransaction(sender, await sender.sendTransaction({ ...transaction, chain: null }))
const etherOf = async (address: Address) => BigInt(await chain.request<Hex>('eth_getBalance', [address, 'latest']))

/** The account holds one ether and is not deployed yet. */
async function newAccount(kind = accountKinds[2], assets: readonly string[] = []) {
  const phrase = generateMnemonic(english)
  const owner = mnemonicToAccount(phrase)
  const { type = '', version = '' } = kind ?? {}
  const second = type.startsWith('MultiOwner') ? [sender.account.address] : []
  const client = await connectChain(chain.nodeUrl)
  const account = await makeAccount({ client, owner, type, version, owners: second, salt: 0n })
  await chain.request('anvil_setBalance', [account.address, toHex(parseEther('1'))])
  return { phrase, address: account.address, descriptor: JSON.stringify(await describeAccount({ account, assets })) }
}

async function openPage(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ viewport: { width: 360, height: 800 }, ...options })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const asked = new Set<string>()
  const faults: string[] = []
  page.on('request', (request) => asked.add(new URL(request.url()).origin))
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  await page.goto(url)
  return { context, page, asked, faults }
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()
async function at(page: Page, name: string) {
  const failure = page.locator('.failure:not(:empty)')
  await page.getByRole('heading', { name }).or(failure).first().waitFor()
  expect(await failure.allInnerTexts()).toEqual([])
}

async function enterAccount(page: Page, descriptor: string) {
  await page.getByLabel('or its text').fill(descriptor)
  await page.getByLabel('Node of its chain').fill(node.url)
  await press(page, 'Read the account')
}
async function enterKey(page: Page, secret: string, payer: string = gasKey) {
  await page.getByLabel('Recovery phrase or private key').fill(secret)
  await page.getByLabel('Key that pays the gas').fill(payer)
  await press(page, 'Use this key')
}
async function enterReceiver(page: Page, receiver: string = to) {
  await press(page, 'Choose a receiver')
  await page.getByRole('textbox', { name: 'Receiver' }).fill(receiver)
  await press(page, 'Try it out')
}
async function addToken(page: Page, token: Address, kind: string, id?: bigint) {
  await page.getByLabel('Contract address').fill(token)
  await page.getByLabel('Kind').selectOption(kind)
  if (id !== undefined) await page.getByLabel('Token number').fill(String(id))
  await press(page, 'Look it up')
  await page.getByRole('checkbox', { name: new RegExp(id === undefined ? token : `${token}/${id}`, 'i') }).waitFor()
}

/** Tests one light and one modular account. The command's tests cover all types with the same code. */
const kinds = accountKinds
  .map((kind) => [`${kind.type}@${kind.version}`, kind] as const)
  .filter(([name]) => /^(?:LightAccount@v2|MultiOwnerModular)/.test(name))

test.each(kinds)('moves all assets of a new %s with a descriptor and a phrase', async (_, kind) => {
  const { phrase, address, descriptor } = await newAccount(kind, [demo])
  const id = BigInt(address)
  const give = (...args: readonly [Address, bigint] | readonly [Address, bigint, bigint]) =>
    encodeFunctionData({ abi, functionName: 'give', args })
  await transact(mint(address, 70n))
  await transact({ to: nfts, data: give(address, id) })
  await transact({ to: items, data: give(address, 7n, 9n) })
  const before = await etherOf(to)
  const itemsBefore = await readContract(sender, { address: items, abi, functionName: 'balanceOf', args: [to, 7n] })

  const { context, page, asked, faults } = await openPage()
  expect(await page.locator('#steps [aria-current=step]').allTextContents()).toEqual(['Account'])
  await enterAccount(page, descriptor)
  await enterKey(page, phrase)
  await at(page, 'What it holds')
  // The descriptor contains one token, and the user adds the others.
  expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(2)
  await addToken(page, nfts, 'erc721', id)
  await addToken(page, items, 'erc1155', 7n)
  await enterReceiver(page)
  await at(page, 'Is all of this right?')
  expect(await page.locator('#terms').textContent()).toContain(to)
  await press(page, 'Move it now')
  await at(page, 'Moved')
  expect([await etherOf(address), (await etherOf(to)) - before]).toEqual([0n, parseEther('1')])
  const tokens = { address: demo, abi: demoAbi, functionName: 'balanceOf' } as const
  expect(await readContract(sender, { ...tokens, args: [address] })).toBe(0n)
  expect(await readContract(sender, { address: nfts, abi, functionName: 'ownerOf', args: [id] })).toBe(getAddress(to))
  const held = await readContract(sender, { address: items, abi, functionName: 'balanceOf', args: [to, 7n] })
  expect(held - itemsBefore).toBe(9n)
  // The page requests only the file and the node, and drops the key.
  expect([...asked].sort()).toEqual([node.url, 'null'].sort())
  expect(faults).toEqual([])
  const left = await page.evaluate(() => [
    document.documentElement.outerHTML,
    ...[...document.querySelectorAll('textarea, input')].map((field) => 'value' in field && field.value),
    location.href,
  ])
  expect(left.join('\n')).not.toContain(phrase)
  expect(left.join('\n')).not.toContain(gasKey.slice(2))
  expect(await context.storageState()).toEqual({ cookies: [], origins: [] })
  await context.close()
})

test('passes axe at 360 and 1280 px, light and dark, by keyboard alone', async () => {
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1280, 'light'],
  ] as const) {
    const { phrase, descriptor } = await newAccount()
    const { context, page } = await openPage({ colorScheme, viewport: { width, height: 800 } })
    const expectClean = async (what: string) => {
      expect(await findViolations(page), `${what} ${width}`).toEqual([])
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect([what, width, overflow]).toEqual([what, width, 0])
      if (process.env.LATCHKEY_PICTURES)
        await page.screenshot({ path: join(process.env.LATCHKEY_PICTURES, `${what}-${width}.png`), fullPage: true })
    }
    await expectClean('account')
    await page.getByLabel('or its text').focus()
    await page.keyboard.insertText(descriptor)
    await page.keyboard.press('Tab')
    await page.keyboard.insertText(node.url)
    await page.keyboard.press('Enter')
    await at(page, 'The owner’s key')
    // Each step focuses its heading.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('key-title')
    await expectClean('key')
    await page.keyboard.press('Tab')
    await page.keyboard.insertText('legal winner')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'neither a private key' }).waitFor()
    await expectClean('key-wrong')
    await page.getByLabel('Recovery phrase').fill(phrase)
    await page.getByLabel('Key that pays').fill(gasKey)
    await page.keyboard.press('Enter')
    await at(page, 'What it holds')
    await expectClean('holdings')
    await press(page, 'Choose a receiver')
    await page.keyboard.press('Tab')
    await page.keyboard.insertText(to)
    await expectClean('receiver')
    await page.keyboard.press('Enter')
    await at(page, 'Is all of this right?')
    await expectClean('check')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await at(page, 'Moved')
    await expectClean('done')
    await context.close()
  }
})

test('refuses altered descriptors, wrong keys, wrong receivers and empty payers', async () => {
  const { phrase, address, descriptor } = await newAccount()
  const { context, page } = await openPage()
  const refuses = (text: string) => page.getByRole('alert').filter({ hasText: text }).waitFor()
  await enterAccount(page, descriptor.replace('"salt":"0"', '"salt":"1"'))
  await refuses('No owner of the account has signed')
  const { signature: _, ...unsigned } = JSON.parse(descriptor)
  await enterAccount(page, JSON.stringify(unsigned))
  await refuses('is not signed')
  await enterAccount(page, descriptor)
  await at(page, 'The owner’s key')
  await enterKey(page, generatePrivateKey())
  await refuses('the key belongs to none of its owners')
  await enterKey(page, phrase, generatePrivateKey())
  await at(page, 'What it holds')
  for (const [receiver, text] of [
    [address, 'the account itself'],
    [`0x${'0'.repeat(40)}`, 'not an address'],
    [`${to.slice(0, -3)}41`, 'not an address'],
    [nfts, 'The transfer of native'],
  ] as const) {
    await enterReceiver(page, receiver)
    await refuses(text)
    await page.getByRole('button', { name: 'Back' }).click()
  }
  await enterReceiver(page)
  await page.getByText('has too little for the fee').waitFor()
  // `aria-disabled` keeps the button readable, and a forced click does nothing.
  await page.getByRole('button', { name: 'Move it now' }).click({ force: true })
  expect(await page.locator('#progress').textContent()).toBe('')
  expect(await etherOf(address)).toBe(parseEther('1'))
  // Leaving the page drops the key.
  await page.goto('about:blank')
  await page.goBack()
  await at(page, 'Which account?')
  await context.close()
})

test('follows no URL that a token names (EIP-3668)', async () => {
  let asked = 0
  const attacker = await listen((_, response) => {
    asked += 1
    response.setHeader('Access-Control-Allow-Origin', '*').end('{"data":"0x01"}')
  })
  const token = getAddress(`0x${'e1'.repeat(20)}`)
  const lookup = encodeErrorResult({
    abi: parseAbi(['error OffchainLookup(address, string[], bytes, bytes4, bytes)']),
    args: [token, [`${attacker.url}/{sender}/{data}`], '0x', '0x12345678', '0x'],
  })
  // The code reverts with the bytes appended to it.
  const code = concat(['0x61', toHex(size(lookup), { size: 2 }), '0x80600c6000396000fd', lookup])
  await chain.request('anvil_setCode', [token, code])
  const { phrase, descriptor } = await newAccount()
  const { context, page } = await openPage()
  await enterAccount(page, descriptor)
  await enterKey(page, phrase)
  await at(page, 'What it holds')
  await page.getByLabel('Contract address').fill(token)
  await press(page, 'Look it up')
  await page.getByRole('alert').filter({ hasText: 'does not return what the account holds' }).waitFor()
  expect(asked).toBe(0)
  await context.close()
  await attacker.close()
})

test('shows nothing inside another page', async () => {
  const { context, page } = await openPage()
  const outer = join(home, 'outer.html')
  writeFileSync(outer, '<iframe src="exit.html"></iframe>')
  await page.goto(pathToFileURL(outer).href)
  await page.frameLocator('iframe').getByText('Open this page on its own').waitFor()
  await context.close()
})

test('builds the same bytes from the same sources, with a policy that names them', async () => {
  const again = join(home, 'again.html')
  await promisify(execFile)(process.execPath, [build, again], { env: { ...process.env, TZ: 'Asia/Tokyo' } })
  const html = readFileSync(fileURLToPath(url), 'utf8')
  expect(readFileSync(again, 'utf8') === html).toBe(true)
  expect(html).toMatch(/content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/)
  expect(html.includes(fileURLToPath(new URL('../../../../..', import.meta.url)))).toBe(false)
})
