import { fileURLToPath } from 'node:url'
import type { TestChain } from '@latchkey/testkit/chain'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { test } from '@latchkey/testkit/worker'
import type { Browser, Page } from 'playwright-core'
import { createPublicClient, http, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect } from 'vitest'
import { entryPointAbi } from '../../accounts/entryPoint.ts'
import type { SmartAccountClient } from '../client/types.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** An app page that is signed in at once with the key and chain of its address. */
const entry = `
import { localSigner } from '@latchkey/testkit/wallet/localSigner'
import { createAccount } from '/src/wallet/actions/createAccount.ts'
import { disconnect, followSigner } from '/src/wallet/actions/session.ts'
import { getSmartAccountClient } from '/src/wallet/actions/smartAccountClient.ts'
import { createConfig } from '/src/wallet/createConfig.ts'
import { defineLatchkeyDevChain } from '/src/core/chains/latchkeyDev.ts'

const given = Object.fromEntries(new URLSearchParams(location.search))
const chain = defineLatchkeyDevChain({ id: Number(given.chainId) })
const config = createConfig({
  chain,
  connections: [{ chain, rpcUrl: location.origin + '/rpc', bundlerUrl: location.origin + '/bundler' }],
  signerConnection: { apiKey: 'key' },
})
const person = localSigner(given.key)
config.clientStore.setState({ signer: person.signer })
followSigner(config, person.signer)
person.signIn({ orgId: given.key, userId: given.key })
await createAccount({ type: 'LightAccount', accountParams: { version: given.version } }, config)
const { client } = getSmartAccountClient({ type: 'LightAccount' }, config)
Object.assign(window, { wallet: client, logOut: () => disconnect(config) })
`

declare global {
  interface Window {
    wallet: SmartAccountClient
    logOut: () => Promise<void>
  }
}

let devnet: TestChain
let browser: Browser
let server: Listening
test.beforeAll(async ({ chain, browser: launched }) => {
  devnet = chain
  browser = launched
  server = await serveEntry(root, entry)
})
afterAll(() => server?.close())

type Sent = { request: unknown; isPassedOn: boolean }

/** Opens a browser profile. While `isCut` is true, the bundler gets no operation. */
async function startProfile() {
  const context = await browser.newContext()
  const profile = { isCut: false, sent: [] as Sent[] }
  const forward = (path: 'rpc' | 'bundler', url: string) =>
    context.route(`${server.url}/${path}`, async (route) => {
      const body = route.request().postData() ?? ''
      const { method, params } = JSON.parse(body)
      if (method === 'eth_sendUserOperation') {
        profile.sent.push({ request: params[0], isPassedOn: !profile.isCut })
        if (profile.isCut) return
      }
      const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      // A reloaded page accepts no reply.
      await route.fulfill({ contentType: 'application/json', body: await reply.text() }).catch(() => {})
    })
  await forward('rpc', devnet.nodeUrl)
  await forward('bundler', devnet.bundlerUrl)
  const open = async (version: string, key: string): Promise<Page> => {
    const page = await context.newPage()
    await page.goto(`${server.url}/?${new URLSearchParams({ key, version, chainId: String(devnet.chainId) })}`)
    await page.waitForFunction(() => window.wallet !== undefined)
    return page
  }
  return { profile, open, close: () => context.close() }
}

const listStates = (page: Page) =>
  page.evaluate(async () => (await window.wallet.listOperations()).map(({ state }) => state))
/** Counts the stored records of all accounts. */
const countKept = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('latchkey-outbox')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const counting = opening.result.transaction('operations').objectStore('operations').count()
          counting.onsuccess = () => {
            opening.result.close()
            resolve(counting.result)
          }
        }
      }),
  )

test.each(['v1.1.0', 'v2.0.0'] as const)('repeats an unsent operation after a reload (%s)', async (version) => {
  const { profile, open, close } = await startProfile()
  const key = generatePrivateKey()
  const page = await open(version, key)
  const account = await page.evaluate(() => {
    const { address, entryPoint } = window.wallet.smartAccount
    return { address, entryPoint: entryPoint.address }
  })
  await devnet.request('anvil_setBalance', [account.address, toHex(parseEther('1'))])
  profile.isCut = true
  await page.evaluate(() => {
    const target = `0x${'00'.repeat(18)}beef` as const
    window.wallet.sendUserOperation({ uo: { target, data: '0x', value: 3n } }).catch(() => {})
  })
  await expect.poll(() => profile.sent.length).toBe(1)
  expect(await listStates(page)).toEqual(['signed'])

  profile.isCut = false
  // Another user of this computer sees, sends and removes nothing.
  const other = await open(version, generatePrivateKey())
  expect(await listStates(other)).toEqual([])
  await other.evaluate(() => window.logOut())
  expect(profile.sent).toHaveLength(1)
  await other.close()

  await page.reload()
  await page.waitForFunction(() => window.wallet !== undefined)
  await expect.poll(() => listStates(page)).toEqual(['included'])
  const [first, second, ...more] = profile.sent
  expect(more).toEqual([])
  expect(second).toEqual({ request: first?.request, isPassedOn: true })
  const reader = createPublicClient({ transport: http(devnet.nodeUrl) })
  const events = await reader.getContractEvents({
    abi: entryPointAbi,
    eventName: 'UserOperationEvent',
    fromBlock: 0n,
    address: account.entryPoint,
    args: { sender: account.address },
  })
  expect(events).toHaveLength(1)

  expect(await countKept(page)).toBe(1)
  await page.evaluate(() => window.logOut())
  expect(await countKept(page)).toBe(0)
  await close()
})

test.each(['v1.1.0', 'v2.0.0'] as const)('completes sends of two tabs once each (%s)', async (version) => {
  const { profile, open, close } = await startProfile()
  const key = generatePrivateKey()
  const tabs = [await open(version, key), await open(version, key)] as const
  const address = await tabs[0].evaluate(() => window.wallet.smartAccount.address)
  await devnet.request('anvil_setBalance', [address, toHex(parseEther('1'))])
  const target = privateKeyToAccount(generatePrivateKey()).address
  const press = (tab: Page, wei: number) =>
    tab.evaluate(
      async ([to, value]) => {
        const uo = { target: to, data: '0x', value: BigInt(value) } as const
        const { hash } = await window.wallet.sendUserOperation({ uo })
        return window.wallet.waitForUserOperationTransaction({ hash })
      },
      [target, wei] as const,
    )
  const hashes = await Promise.all([press(tabs[0], 1), press(tabs[1], 2)])
  expect(new Set(hashes).size).toBe(2)
  const nonces = profile.sent.map(({ request }) => (request as { nonce: string }).nonce)
  expect(nonces).toEqual(['0x0', '0x1'])
  const reader = createPublicClient({ transport: http(devnet.nodeUrl) })
  expect(await reader.getBalance({ address: target })).toBe(3n)
  for (const tab of tabs) await expect.poll(() => listStates(tab)).toEqual(['included', 'included'])
  await close()
})
