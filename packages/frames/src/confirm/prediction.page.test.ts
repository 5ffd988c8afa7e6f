import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { lightOperation } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { findViolations } from '@latchkey/testkit/react/findViolations'
import { test } from '@latchkey/testkit/worker'
import { confirmationPagePath, type SimulateAssetChangesResult } from 'latchkey-protocol'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi, parseEther } from 'viem'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { custodyApp } from '../../../server/src/custody/app.ts'
import { framesApp } from '../../../server/src/frames/app.ts'
import { gatewayApp } from '../../../server/src/gateway/app.ts'
import { listen } from '../../../server/src/platform/http/listen.ts'

// Runs on the served page with real custody, and with the real gateway in front of a chain.

const { demo, entryPoints } = devAddresses
const stranger = `0x${'b2'.repeat(20)}` as const
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transferOwnership(address newOwner)',
])

let browser: Browser
let context: BrowserContext
let custody: TestCustody
let gateway: TestGateway
let frames: listen.ReturnType
let gatewayServer: listen.ReturnType
const servers: listen.ReturnType[] = []
const serve = async (app: { fetch(request: Request, env?: object): Response | Promise<Response> }) => {
  const server = await listen((request, env) => app.fetch(request, env), { port: 0 })
  servers.push(server)
  return server
}
test.beforeAll(async ({ browser: launched, chain }) => {
  browser = launched
  gateway = await startTestGateway({ chain })
  const project = { name: 'Example Wallet', confirmations: 'mail', apiKey: gateway.apiKey, signing: {} } as const
  custody = await startTestCustody({ project })
  let app: Pick<Awaited<ReturnType<typeof custodyApp>>, 'fetch'> = custody.app
  const service = await serve({ fetch: (request, env) => app.fetch(request, env) })
  let forPage: Pick<gatewayApp.ReturnType, 'fetch'> = gateway.app
  gatewayServer = await serve({ fetch: (request, env) => forPage.fetch(request, env) })
  const pages = await framesApp({
    page: 'auth',
    projects: [],
    custodyUrl: service.url,
    gatewayUrl: gatewayServer.url,
    bundleSigningPublicKey: custody.bundleSigner,
  })
  frames = await serve(pages)
  const confirmationUrl = `${frames.url}${confirmationPagePath}`
  app = await custodyApp({ ...custody.deps, confirmationUrl })
  forPage = gatewayApp({ ...gateway.deps, confirmationUrl })
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()))
  await custody?.close()
  await gateway?.close()
})
beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 360, height: 740 } })
})
afterEach(() => context.close())

const gas = {
  callGasLimit: '0x1',
  verificationGasLimit: '0x1',
  preVerificationGas: '0x1',
  maxFeePerGas: '0x1',
  maxPriorityFeePerGas: '0x1',
} as const

/** Requests the signature of an operation that changes owners, and returns the secret of the link. */
async function askReview(calls: (sender: Address) => { to: Address; data: Hex; value?: bigint }[]) {
  const user = await custody.createUser()
  const { userOperation, sender } = await lightOperation(gateway, '0.7.0', calls)
  await gateway.setBalance(sender, parseEther('1'))
  const operation = { ...userOperation, ...gas }
  const request = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', user.orgId, {
    encoding: 'PAYLOAD_ENCODING_USER_OPERATION',
    hashFunction: 'HASH_FUNCTION_NO_OP',
    signWith: user.address,
    payload: JSON.stringify({ chainId: gateway.chainId, entryPoint: entryPoints['0.7.0'], operation }),
  })
  const send = () => custody.call('submit/sign_raw_payload', request, user.key)
  const { body } = await send()
  const { content } = await custody.readQueued(body.activity.id, 'confirm')
  const secret = new URL(('link' in content && content.link) || '').hash.slice(1)
  return { sender, secret, status: async () => (await send()).body.activity.status as string }
}

const changeOwner = (sender: Address) => ({
  to: sender,
  data: encodeFunctionData({ abi, functionName: 'transferOwnership', args: [stranger] }),
})
const open = async (secret: string, page?: Page) => {
  const opened = page ?? (await context.newPage())
  await opened.goto(`${frames.url}${confirmationPagePath}#${secret}`)
  await opened.getByRole('heading', { name: 'Change who owns your account?' }).waitFor()
  return opened
}
const short = (address: string) => `${address.slice(0, 6)}…${address.slice(-4)}`
const rowsOf = (page: Page) => page.locator('#facts > div').allTextContents()
const changesOf = (page: Page) => page.locator('#changes li').allTextContents()
const textOf = (page: Page) => page.locator('#prediction-text').textContent()

test('predicts what an operation under review changes, below what custody decoded', async () => {
  const { sender, secret, status } = await askReview((own) => [
    { to: stranger, data: '0x', value: parseEther('0.5') },
    { to: demo, data: encodeFunctionData({ abi, functionName: 'mint', args: [own, parseEther('3')] }) },
    { to: demo, data: encodeFunctionData({ abi, functionName: 'approve', args: [stranger, 7n] }) },
    changeOwner(own),
  ])
  const page = await open(secret)
  await expect.poll(() => textOf(page)).toContain('expects this to change')
  expect(await changesOf(page)).toEqual([
    `You send 0.5 ETH to ${short(stranger)}`,
    expect.stringMatching(/^You get 3 DEMO \(0x.{4}….{4}\) from 0x0000…0000$/i),
    expect.stringMatching(/^0xb2b2…b2b2 may take 0\.000000000000000007 DEMO \(0x.{4}….{4}\) from you$/i),
  ])
  expect(await page.getByRole('heading', { name: 'Prediction' }).isVisible()).toBe(true)
  const rows = await rowsOf(page)
  expect(rows).toContain(`New owner${getAddress(stranger)}`)
  expect(rows.join()).toContain(getAddress(sender))
  const order = await page.evaluate(() => {
    const [facts, prediction] = ['facts', 'prediction'].map((id) => document.getElementById(id))
    return facts && prediction && facts.compareDocumentPosition(prediction) & Node.DOCUMENT_POSITION_FOLLOWING
  })
  expect(order).toBeTruthy()
  expect(await findViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Confirm', exact: true }).click()
  await page.getByRole('heading', { name: 'Done' }).waitFor()
  expect(await status()).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('says that an operation is expected to fail', async () => {
  const { secret } = await askReview((own) => [{ to: stranger, data: '0x', value: parseEther('5') }, changeOwner(own)])
  const page = await open(secret)
  await expect.poll(() => textOf(page)).toContain('expects this to fail')
  expect(await changesOf(page)).toEqual(['execution reverted: the account has 1 ether and sends 5 ether'])
})

test('can be decided without a prediction, whose answer moves nothing', async () => {
  const { secret, status } = await askReview((own) => [changeOwner(own)])
  const page = await context.newPage()
  let answer = () => {}
  const slow = new Promise<void>((resolve) => {
    answer = resolve
  })
  const url = `${gatewayServer.url}/**`
  await page.route(url, async (route) => {
    await slow
    await route.abort()
  })
  await open(secret, page)
  const before = await rowsOf(page)
  const confirm = page.getByRole('button', { name: 'Confirm', exact: true })
  const place = await confirm.boundingBox()
  await page.getByText('Asking the chain’s node').waitFor()
  answer()
  await expect.poll(() => textOf(page)).toContain('Not available')
  expect(await confirm.boundingBox()).toEqual(place)
  expect(await rowsOf(page)).toEqual(before)
  await confirm.click()
  await page.getByRole('heading', { name: 'Done' }).waitFor()
  expect(await status()).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('shows a prediction of any length and text in its own area', async () => {
  const { secret } = await askReview((own) => [changeOwner(own)])
  const page = await context.newPage()
  const change = {
    assetType: 'ERC20',
    changeType: 'TRANSFER',
    from: stranger,
    to: stranger,
    amount: '9'.repeat(400),
    contractAddress: stranger,
    tokenId: null,
    decimals: 0,
    symbol: `<img src=x onerror="document.title=1">\u202E${'W'.repeat(400)}`,
  } as const
  const result: SimulateAssetChangesResult = { changes: Array.from({ length: 400 }, () => change) }
  const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
  const json = { jsonrpc: '2.0', id: 1, result }
  await page.route(`${gatewayServer.url}/**`, (route) => route.fulfill({ json, headers }))
  await open(secret, page)
  await expect.poll(() => changesOf(page)).toHaveLength(51)
  expect((await changesOf(page)).at(-1)).toBe('and 350 more')
  const text = (await page.locator('main').textContent()) ?? ''
  expect(text).not.toContain('\u202E')
  expect(await page.locator('main img').count()).toBe(0)
  expect(await rowsOf(page)).toContain(`New owner${getAddress(stranger)}`)
  expect((await page.locator('#prediction').boundingBox())?.height).toBe(195)
  expect(await findViolations(page)).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
})

test('lets the confirmation page simulate, and nothing else', async () => {
  const ask = async (method: string, origin: string) => {
    const response = await fetch(`${gatewayServer.url}/${gateway.chainId}/v2`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.apiKey}`, origin, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
    })
    return response.status
  }
  expect(await ask('alchemy_simulateUserOperationAssetChanges', frames.url)).toBe(200)
  expect(await ask('eth_chainId', frames.url)).toBe(403)
  expect(await ask('alchemy_simulateUserOperationAssetChanges', 'https://elsewhere.example')).toBe(403)
})
