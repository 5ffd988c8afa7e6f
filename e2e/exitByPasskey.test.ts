import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { type Listening, listen, readBody } from '@latchkey/testkit/signer/listen'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { test } from '@latchkey/testkit/worker'
import { toPasskeyOwner } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import type { Devnet } from 'latchkey-dev'
import { addAuthenticator, confirmByMail, startTestDevnet } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Address, createWalletClient, getAddress, type Hex, http, parseAbi, parseEther, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import { readDemo } from './readChain.ts'
import { newEmail, signUp } from './signUp.ts'

// The chain outlives the devnet, so that an account is left with its passkey after custody and its database are gone.

const command = fileURLToPath(new URL('../packages/dev/dist/cli/main.js', import.meta.url))
const types = ['MultiOwnerLightAccount', 'MultiOwnerModularAccount', 'ModularAccountV2']

let chain: TestChain
let devnet: Devnet
let site: Listening
let node: Listening
let folder: string

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-exit-passkey-'))
  chain = await startTestChain()
  devnet = await startTestDevnet({ rpcUrl: chain.nodeUrl })
  const file = join(folder, 'exit.html')
  await promisify(execFile)(process.execPath, [command, 'exit', '--page', file], { timeout: 60_000 })
  site = await listen((_, response) => response.setHeader('content-type', 'text/html').end(readFileSync(file)))
  node = await listen(async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Access-Control-Allow-Headers', '*')
    if (request.method === 'OPTIONS') return void response.end()
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(chain.nodeUrl, { method: 'POST', headers, body: await readBody(request) })
    response.end(await reply.text())
  })
})
test.afterAll(async () => {
  await devnet?.close()
  await chain?.close()
  await site?.close()
  await node?.close()
  rmSync(folder, { recursive: true, force: true })
})

type Device = Awaited<ReturnType<typeof addAuthenticator>>
type Kept = { type: string; address: Address; descriptor: string; device: Device; context: BrowserContext }

/** Signs a user up, adds a passkey as an owner in the wallet, and downloads the account file. */
async function keep(type: string, browser: Browser): Promise<Kept> {
  const email = newEmail()
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  const { wallet, address: first } = await signUp({ devnet, context, email })
  const { page } = wallet
  const device = await addAuthenticator(page)
  await wallet.selectAccountType(type)
  await expect.poll(() => wallet.signedInAddress()).not.toBe(first)
  const address = await wallet.signedInAddress()
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  await wallet.owners.getByRole('button', { name: 'Add a backup key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Passkey' }).click()
  expect(await confirmByMail(devnet, email, { browser })).toBe('Change who owns your account?')
  await dialog.getByRole('heading', { name: 'Your new key works' }).waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await wallet.owners.getByText('Passkey', { exact: true }).waitFor()
  return { type, address, descriptor: await download(page, type), device, context }
}

/** Hands a LightAccount, which has one owner, over to a passkey by the address of its signer contract. */
async function handOver(browser: Browser): Promise<Kept> {
  const email = newEmail()
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  const { wallet, address } = await signUp({ devnet, context, email })
  const { page } = wallet
  const device = await addAuthenticator(page)
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  const passkey = newPasskey()
  await device.add(passkey.credential)
  await wallet.newOwner.fill(await deploySigner(passkey))
  await wallet.transfer.click()
  await wallet.confirm('Transfer ownership')
  expect(await confirmByMail(devnet, email, { browser })).toBe('Change who owns your account?')
  await wallet.alert.filter({ hasText: 'This wallet no longer owns the account' }).waitFor()
  return { type: 'LightAccount', address, descriptor: await download(page, 'LightAccount'), device, context }
}

async function deploySigner(passkey: ReturnType<typeof newPasskey>): Promise<Address> {
  const { privateKey } = await chain.freshAccount()
  const client = createWalletClient({
    account: privateKeyToAccount(privateKey),
    chain: defineLatchkeyDevChain({ id: chain.chainId, nodeUrl: chain.nodeUrl }),
    transport: http(chain.nodeUrl),
  })
  const owner = await toPasskeyOwner({ client, passkey })
  const [x, y] = [BigInt(passkey.publicKey.slice(0, 66)), BigInt(`0x${passkey.publicKey.slice(66)}`)]
  const verifiers = BigInt('0x0100c2b78104907f722dabac4c69f826a522b2754de4')
  const abi = parseAbi(['function createSigner(uint256 x, uint256 y, uint176 verifiers) returns (address)'])
  const address: Address = '0x1d31F259eE307358a26dFb23EB365939E8641195'
  const hash = await client.writeContract({ address, abi, functionName: 'createSigner', args: [x, y, verifiers] })
  await waitForTransaction(client, hash)
  return owner.getAddress()
}

async function download(page: Page, type: string): Promise<string> {
  const press = page.getByRole('button', { name: 'Download account file' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), press])
  const path = join(folder, `${type}.json`)
  await file.saveAs(path)
  return readFileSync(path, 'utf8')
}

const press = (page: Page, name: string) => page.getByRole('button', { name }).click()

/** Moves the tokens by the passkey, on a page that reaches nothing but the node. */
async function leave(
  { descriptor, device, context }: Kept,
  { to, gasKey }: { to: Address; gasKey: Hex },
): Promise<void> {
  const page = await context.newPage()
  await device.copyTo(page)
  await page.goto(site.url)
  await page.getByLabel('or its text').fill(descriptor)
  await page.getByLabel('Node of its chain').fill(node.url)
  await press(page, 'Read the account')
  await page.getByLabel('Key that pays the gas').fill(gasKey)
  await press(page, 'Use a passkey')
  await press(page, 'Choose a receiver')
  await page.getByRole('textbox', { name: 'Receiver' }).fill(to)
  await press(page, 'Try it out')
  await press(page, 'Sign with your passkey')
  await page.getByRole('status').filter({ hasText: 'Nothing is sent yet' }).waitFor()
  await press(page, 'Move it now')
  await page.getByRole('heading', { name: 'Moved' }).waitFor()
  await context.close()
}

test('a passkey added in the wallet moves everything once custody and its database are gone', async ({ browser }) => {
  const kept: Kept[] = []
  for (const type of types) kept.push(await keep(type, browser))
  kept.push(await handOver(browser))
  // Stops every part and deletes the database.
  await devnet.close()
  await expect(fetch(devnet.urls.custody)).rejects.toThrow()
  const { privateKey: gasKey } = await chain.freshAccount()
  for (const one of kept) {
    const { owners, format } = JSON.parse(one.descriptor)
    expect(format).toBe('latchkey-account-2')
    const [credential] = await one.device.credentials()
    const id = Buffer.from(credential?.credentialId ?? '', 'base64').toString('base64url')
    // The wallet created all passkeys but that of the LightAccount, whose id it does not know.
    const known = one.type === 'LightAccount' ? {} : { credentialId: id }
    expect(owners).toContainEqual(expect.objectContaining({ kind: 'passkey', rpId: 'localhost', ...known }))
    const to = getAddress(toHex(randomBytes(20)))
    await leave(one, { to, gasKey })
    const { demo } = devnet.addresses
    const read = (holder: Address) => readDemo({ nodeUrl: chain.nodeUrl, demo, holder })
    expect([one.type, await read(one.address), await read(to)]).toEqual([one.type, 0n, parseEther('100')])
  }
})
