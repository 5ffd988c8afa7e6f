import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { devAccountOf } from 'latchkey-dev'
import type { BrowserContext } from 'playwright-core'
import { createWalletClient, http, parseAbi, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { linkFor, newEmail, signUp } from './signUp.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

const stage = setStage()
let context: BrowserContext

beforeEach(async () => {
  context = await stage.newContext()
})

async function signedIn(): Promise<WalletPage> {
  return (await signUp({ world: stage.world, context })).wallet
}

test('error: the mail server is down, and the same address can be tried again', async () => {
  const bringBack = await stage.world.interrupt('mail')
  const email = newEmail()
  const wallet = await openWallet(context, stage.world.urls.wallet)
  try {
    await wallet.askForMail(email)
    await wallet.alert.filter({ hasText: 'The mail could not be sent. Try again in a moment.' }).waitFor()
  } finally {
    await bringBack()
  }
  await wallet.continue.click()
  await wallet.sent.waitFor()
  const again = await openWallet(context, await linkFor(stage.world, email))
  await again.signedInAddress()
  await wallet.signedInAddress()
})

test('error: the bundler is down, and the operation can be tried again', async () => {
  const wallet = await signedIn()
  const bringBack = await stage.world.interrupt('bundler')
  try {
    await wallet.mint.click()
    await wallet.alert.filter({ hasText: /Could not mint 100 DEMO\..*bundler/i }).waitFor()
  } finally {
    await bringBack()
  }
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  expect(await wallet.alert.count()).toBe(0)
})

test('error: the paymaster has run dry, and is filled again', async () => {
  const wallet = await signedIn()
  const refill = await drainPaymaster()
  try {
    await wallet.mint.click()
    await wallet.alert.filter({ hasText: /deposit/i }).waitFor()
  } finally {
    await refill()
  }
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
})

test('error: the server does not run', async () => {
  const bringBack = await stage.world.interrupt('signerApi')
  try {
    const wallet = await openWallet(context, stage.world.urls.wallet)
    await wallet.page.getByRole('heading', { name: 'The servers do not answer' }).waitFor()
    const text = await wallet.page.getByRole('main').textContent()
    expect(text).toContain(stage.world.urls.signerApi)
    expect(text).toContain('npm start')
  } finally {
    await bringBack()
  }
})

test('behavior: a server that is slow to answer does not take the page away from who types meanwhile', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  const isConfig = (url: string) => url.endsWith('/signer/v1/config')
  const wallet = await openWallet(context, stage.world.urls.wallet, (page) =>
    page.route(
      ({ href }) => isConfig(href),
      async (route) => {
        await held
        await route.continue()
      },
    ),
  )
  // The page has looked for its server, and does not wait on.
  const givenUp = wallet.page.waitForEvent('requestfailed', { predicate: (request) => isConfig(request.url()) })
  await Promise.all([givenUp, wallet.askForMail(newEmail())])
  answer()
  await wallet.sent.waitFor()
})

const paymasterAbi = parseAbi([
  'function getDeposit() view returns (uint256)',
  'function withdrawTo(address to, uint256 amount)',
  'function deposit() payable',
])

/** Takes the paymaster's deposit as its owner may, and returns how to put it back. */
async function drainPaymaster(): Promise<() => Promise<void>> {
  const account = privateKeyToAccount(devAccountOf.paymasterOwner.privateKey)
  const client = createWalletClient({ account, transport: http(stage.world.urls.node) }).extend(publicActions)
  const paymaster = { address: stage.world.addresses.paymasters['0.6.0'], abi: paymasterAbi, chain: null } as const
  const value = await client.readContract({ ...paymaster, functionName: 'getDeposit' })
  const args = [account.address, value] as const
  const hash = await client.writeContract({ ...paymaster, functionName: 'withdrawTo', args })
  await waitForTransaction(client, hash)
  return async () => {
    const filled = await client.writeContract({ ...paymaster, functionName: 'deposit', value })
    await waitForTransaction(client, filled)
  }
}
