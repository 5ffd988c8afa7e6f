import { devAccountOf } from 'latchkey-dev'
import type { BrowserContext } from 'playwright-core'
import { createWalletClient, http, parseAbi, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { setStage } from './setStage.ts'
import { linkFor, newEmail, signUp } from './signUp.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

const stage = setStage()
let context: BrowserContext

beforeEach(async () => {
  context = await stage.newContext()
})

/** Asks for a mail in this context and answers its link. */
async function askedLink(from: BrowserContext, email = newEmail()): Promise<{ wallet: WalletPage; link: string }> {
  const wallet = await openWallet(from, stage.world.urls.wallet)
  await wallet.askForMail(email)
  await wallet.sent.waitFor()
  return { wallet, link: await linkFor(stage.world, email) }
}

async function signedIn(): Promise<WalletPage> {
  return (await signUp({ world: stage.world, context })).wallet
}

async function expectRefused(wallet: WalletPage, text: string): Promise<void> {
  await wallet.alert.filter({ hasText: text }).waitFor()
  expect(await wallet.address.count()).toBe(0)
  expect(wallet.page.url()).not.toContain('bundle')
}

test('error: an invalid address is told before anything is sent', async () => {
  const wallet = await openWallet(context, stage.world.urls.wallet)
  await wallet.signIn.click()
  await wallet.email.fill('not an address')
  await wallet.email.press('Enter')
  await wallet.alert.filter({ hasText: 'Must provide a valid email.' }).waitFor()
  expect(stage.world.messages({ to: 'not an address' })).toEqual([])
})

test('error: a link made for another browser', async () => {
  const other = await stage.newContext()
  const { link } = await askedLink(other)
  await askedLink(context)
  await expectRefused(await openWallet(context, link), 'Failed to inject credential bundle')
})

test('error: a link in a browser that never asked for one, whether or not it says whose it is', async () => {
  const { link } = await askedLink(await stage.newContext())
  const nameless = new URL(link)
  nameless.searchParams.delete('orgId')
  for (const url of [link, nameless.href]) {
    const wallet = await openWallet(await stage.newContext(), url)
    await wallet.elsewhere.waitFor()
    await wallet.signInHere.click()
    await wallet.email.waitFor()
  }
})

test('error: a garbled link, and the next try works', async () => {
  const email = newEmail()
  const { link } = await askedLink(context, email)
  const garbled = new URL(link)
  garbled.searchParams.set('bundle', 'garbage')
  const wallet = await openWallet(context, garbled.href)
  await expectRefused(wallet, 'Failed to inject credential bundle')
  await wallet.email.fill(email)
  await wallet.continue.click()
  await wallet.sent.waitFor()
  await (await openWallet(context, await linkFor(stage.world, email, 1))).signedInAddress()
})

test('behavior: the same link again in the same browser just signs in', async () => {
  const { link } = await askedLink(context)
  const first = await openWallet(context, link)
  const address = await first.signedInAddress()
  expect(await (await openWallet(context, link)).signedInAddress()).toBe(address)
  await first.page.close()
})

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
    await wallet.alert.filter({ hasText: /Minted 100 DEMO: not done.*bundler/i }).waitFor()
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

const paymasterAbi = parseAbi([
  'function getDeposit() view returns (uint256)',
  'function withdrawTo(address to, uint256 amount)',
  'function deposit() payable',
])

/** Takes the paymaster's deposit as its owner may, and answers how to put it back. */
async function drainPaymaster(): Promise<() => Promise<void>> {
  const account = privateKeyToAccount(devAccountOf.paymasterOwner.privateKey)
  const client = createWalletClient({ account, transport: http(stage.world.urls.node) }).extend(publicActions)
  const paymaster = { address: stage.world.addresses.paymasters['0.6.0'], abi: paymasterAbi, chain: null } as const
  const value = await client.readContract({ ...paymaster, functionName: 'getDeposit' })
  const args = [account.address, value] as const
  const hash = await client.writeContract({ ...paymaster, functionName: 'withdrawTo', args })
  await client.waitForTransactionReceipt({ hash })
  return async () => {
    const filled = await client.writeContract({ ...paymaster, functionName: 'deposit', value })
    await client.waitForTransactionReceipt({ hash: filled })
  }
}
