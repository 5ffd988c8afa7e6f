import { getFallbackSigner, listValidations, readOwner, readOwners } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { addAuthenticator, confirmByMail, pressSeen } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { type Address, createPublicClient, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { findFaults } from './findFaults.ts'
import { newEmail, signInByCode, signUp } from './signUp.ts'
import type { WalletPage } from './WalletPage.ts'

const stage = setStage()
const other: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const isCard = (url: URL) => /\/assets\/\w+Card-[^/]*\.js$/.test(url.pathname)
let shared: (Awaited<ReturnType<typeof signUp>> & { email: string }) | undefined

/** Returns a user that tests share, as long as they do not change the account. */
async function getShared() {
  if (!shared) {
    const email = newEmail()
    const context = await stage.newSharedContext()
    shared = { email, ...(await signUp({ devnet: stage.devnet, context, email })) }
  }
  return shared
}

const readTops = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll('.card')].map((card) => card.getBoundingClientRect().top + scrollY))

test('loads each card as a chunk of its own into a reserved place', async () => {
  const { wallet } = await getShared()
  const { page } = wallet
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 })
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const held: string[] = []
    await page.route(isCard, async (route) => {
      held.push(route.request().url())
      await gate
      await route.continue()
    })
    await page.reload()
    await page.getByText('Not yet deployed').waitFor({ state: 'attached' })
    await expect.poll(() => wallet.mint.isEnabled()).toBe(true)
    await expect.poll(() => held.length).toBeGreaterThanOrEqual(6)
    const before = await readTops(page)
    open()
    await page.getByText('session ends in').waitFor()
    await page.getByText('Nothing yet').waitFor()
    await expect.poll(() => page.locator('.blank').count()).toBe(0)
    const moved = (await readTops(page)).map((top, index) => Math.abs(top - (before[index] ?? 0)))
    expect({ width, moved: moved.filter((pixels) => pixels > 8) }).toEqual({ width, moved: [] })
    expect({ width, faults: await findFaults(page) }).toEqual({ width, faults: [] })
    await page.unroute(isCard)
  }
})

test('shows lasting notices in one bar at the bottom, which covers nothing', async () => {
  const { wallet } = await getShared()
  const { page } = wallet
  await wallet.exportWallet.click()
  const waiting = page.getByRole('region', { name: 'Waiting for your confirmation' })
  await waiting.waitFor()
  await page.context().setOffline(true)
  await wallet.connection.getByText('You’re offline.').waitFor()
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    const places = await page.evaluate(() => {
      window.scrollTo(0, document.body.scrollHeight)
      const of = (selector: string) => document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
      return { page: of('main').bottom, bar: of('.dock').top, isLast: of('.dock').bottom <= innerHeight }
    })
    expect({ width, isLast: places.isLast, isFree: places.page <= places.bar }).toEqual({
      width,
      isLast: true,
      isFree: true,
    })
    expect({ width, faults: await findFaults(page) }).toEqual({ width, faults: [] })
  }
  await page.context().setOffline(false)
  await waiting.getByRole('button', { name: 'Cancel' }).click()
  await waiting.waitFor({ state: 'detached' })
})

test('reports a card that fails to load, keeps the others and loads it again', async () => {
  const { wallet } = await getShared()
  const { page } = wallet
  const isSend = (url: URL) => isCard(url) && url.pathname.includes('SendCard')
  await page.route(isSend, (route) => route.abort())
  await page.reload()
  await wallet.alert.filter({ hasText: 'This part of the wallet could not be loaded.' }).waitFor()
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  await page.unroute(isSend)
  await page.getByRole('button', { name: 'Reload' }).click()
  await wallet.send.waitFor()

  await page.route('**/config.json', (route) => route.abort())
  await page.reload()
  await page.getByRole('heading', { name: 'The servers are not responding' }).waitFor()
  expect(await findFaults(page)).toEqual([])
  await page.unroute('**/config.json')
  await page.getByRole('button', { name: 'Try again' }).click()
  await wallet.send.waitFor()
})

test('offers to extend a session by mail two minutes before it ends', async () => {
  const { devnet } = stage
  const { wallet, address, email } = await getShared()
  const offer = wallet.page.getByRole('region', { name: 'End of your session' })
  expect(await offer.count()).toBe(0)
  await wallet.page.evaluate((key) => {
    const stored = JSON.parse(localStorage.getItem(key) ?? '')
    stored.state.session.expirationDateMs = Date.now() + 115_000
    localStorage.setItem(key, JSON.stringify(stored))
  }, 'alchemy-signer-session')
  await wallet.page.reload()
  await offer.waitFor()
  expect(await findFaults(wallet.page)).toEqual([])
  await offer.getByRole('button', { name: 'Stay signed in' }).click()
  await expect.poll(() => wallet.email.inputValue()).toBe(email)
  await wallet.continue.click()
  await signInByCode(wallet, devnet, email, 1)
  await offer.waitFor({ state: 'detached' })
  expect(await wallet.signedInAddress()).toBe(address)
})

const readChain = () => {
  const chain = defineLatchkeyDevChain({ nodeUrl: stage.devnet.urls.node })
  return createPublicClient({ chain, transport: http() })
}
const done = (wallet: WalletPage, text: string) => wallet.page.getByRole('status').filter({ hasText: text }).waitFor()

async function choose(wallet: WalletPage, name: string, before: Address): Promise<Address> {
  await wallet.selectAccountType(name)
  await expect.poll(() => wallet.signedInAddress()).not.toBe(before)
  return wallet.signedInAddress()
}

test('adds and removes owners after a confirmation, and transfers an account for good', async () => {
  const email = newEmail()
  const { wallet, address: light } = await signUp({ devnet: stage.devnet, context: await stage.newContext(), email })
  const waiting = wallet.page.getByRole('region', { name: 'Waiting for your confirmation' })
  let confirmed = 0
  const confirmByLink = async () => {
    await waiting.waitFor()
    const { devnet, browser } = stage
    expect(await confirmByMail(devnet, email, { browser, skip: confirmed++ })).toBe('Change who owns your account?')
    await waiting.waitFor({ state: 'detached' })
  }
  const several = await choose(wallet, 'MultiOwnerLightAccount', light)
  await wallet.newOwner.fill('0x12')
  await wallet.addOwner.click()
  await wallet.alert.filter({ hasText: 'Enter an address' }).waitFor()
  await wallet.newOwner.fill(several)
  await wallet.addOwner.click()
  await wallet.alert.filter({ hasText: 'An account cannot own itself.' }).waitFor()
  await wallet.newOwner.fill(other)
  await wallet.addOwner.click()
  await wallet.confirm('Cancel')
  await wallet.addOwner.click()
  // The user must see the whole address to compare it.
  await wallet.page.getByRole('dialog').getByText(other).waitFor()
  await wallet.confirm('Add as owner')
  await confirmByLink()
  await done(wallet, 'Added the owner')
  expect(await readOwners(readChain(), { address: several })).toHaveLength(2)
  await wallet.owners.getByRole('button', { name: `Remove ${other}` }).click()
  await wallet.confirm('Remove owner')
  await confirmByLink()
  await wallet.owners.getByText('Only owner').waitFor()
  expect(await readOwners(readChain(), { address: several })).not.toContain(other)
  await wallet.activity.filter({ hasText: 'Remove the owner' }).waitFor()

  await choose(wallet, 'LightAccount v2.0.0', several)
  await expect.poll(() => wallet.addOwner.count()).toBe(0)
  const given = await wallet.signedInAddress()
  await wallet.newOwner.fill(other)
  await wallet.transfer.click()
  await wallet.confirm('Transfer ownership')
  await confirmByLink()
  await wallet.alert.filter({ hasText: 'This wallet no longer owns the account' }).waitFor()
  expect(await readOwner(readChain(), { address: given })).toBe(other)
  await wallet.mint.click()
  await wallet.alert.filter({ hasText: 'Could not mint 100 DEMO.' }).waitFor()
})

test('uses a ModularAccountV2: mints, lists its keys and hands it over after confirmations', async () => {
  const email = newEmail()
  const { wallet, address } = await signUp({ devnet: stage.devnet, context: await stage.newContext(), email })
  const given = await choose(wallet, 'ModularAccountV2', address)
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  await wallet.page.getByText('No key besides yours can act for this account.').waitFor()
  for (const width of [360, 1280]) {
    await wallet.page.setViewportSize({ width, height: 800 })
    expect({ width, faults: await findFaults(wallet.page) }).toEqual({ width, faults: [] })
  }
  const { devnet, browser } = stage
  const { signer: own } = await getFallbackSigner(readChain(), { account: given })
  await wallet.newOwner.fill(other)
  await wallet.addOwner.click()
  await wallet.confirm('Add as owner')
  expect(await confirmByMail(devnet, email, { browser })).toBe('Change who owns your account?')
  await done(wallet, 'Added the owner')
  await wallet.owners.getByRole('button', { name: `Remove ${own}` }).click()
  await wallet.confirm('Remove owner')
  expect(await confirmByMail(devnet, email, { browser, skip: 1 })).toBe('Change who owns your account?')
  await wallet.alert.filter({ hasText: 'This wallet no longer owns the account' }).waitFor()
  expect(await getFallbackSigner(readChain(), { account: given })).toMatchObject({ isDisabled: true })
  expect(await listValidations(readChain(), { account: given })).toMatchObject([{ signer: other }])
})

test.each(['MultiOwnerLightAccount', 'MultiOwnerModularAccount', 'ModularAccountV2'])(
  'adds a passkey as a backup key to a %s, also after the page was closed midway',
  async (type) => {
    const email = newEmail()
    const { wallet, address } = await signUp({ devnet: stage.devnet, context: await stage.newContext(), email })
    const { page } = wallet
    await addAuthenticator(page)
    await choose(wallet, type, address)
    const dialog = page.getByRole('dialog')
    const waiting = dialog.getByRole('heading', { name: 'Check your email to confirm' })
    await wallet.owners.getByRole('button', { name: 'Add a backup key' }).click()
    await dialog.getByRole('heading', { name: 'Add a backup key' }).waitFor()
    const passkey = dialog.getByRole('button', { name: 'Passkey' })
    await expect.poll(() => passkey.isEnabled()).toBe(true)
    await page.context().setOffline(true)
    await passkey.click()
    await dialog.getByRole('alert').filter({ hasText: 'You are offline. Nothing was sent.' }).waitFor()
    await page.context().setOffline(false)
    await passkey.click()
    await waiting.waitFor()
    await page.reload()
    await wallet.owners.getByText('Your new passkey is not on every network yet.').waitFor()
    expect(await findFaults(page)).toEqual([])
    await wallet.owners.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('heading', { name: 'Your new key is not ready yet' }).waitFor()
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await waiting.waitFor()
    const { devnet, browser } = stage
    expect(await confirmByMail(devnet, email, { browser, skip: 1 })).toBe('Change who owns your account?')
    await dialog.getByRole('heading', { name: 'Your new key works' }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await wallet.owners.getByText('Passkey', { exact: true }).waitFor()
    expect(await wallet.owners.getByRole('button', { name: /^Remove 0x/ }).count()).toBe(2)
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect({ width, faults: await findFaults(page) }).toEqual({ width, faults: [] })
    }
  },
)

test('adds a paper key, whose words this page never sees', async () => {
  const email = newEmail()
  const { wallet, address } = await signUp({ devnet: stage.devnet, context: await stage.newContext(), email })
  const { page } = wallet
  const given = await choose(wallet, 'MultiOwnerLightAccount', address)
  const dialog = page.getByRole('dialog')
  const frame = page.frameLocator('#latchkey-paper-key')
  await wallet.owners.getByRole('button', { name: 'Add a backup key' }).click()
  await dialog.getByRole('button', { name: 'Paper key' }).click()
  await frame.getByRole('button', { name: 'Show the words' }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.getByRole('button', { name: 'Paper key' }).click()
  await pressSeen(frame.getByRole('button', { name: 'Show the words' }))
  const words = await frame.locator('#secret span').allTextContents()
  await pressSeen(frame.getByRole('button', { name: 'I’ve written them down' }))
  for (const id of ['first', 'second']) {
    const label = await frame.locator(`#${id}-label`).textContent()
    await frame.locator(`#${id}`).fill(words[Number(label?.replace('Word ', '')) - 1] ?? '')
  }
  await frame.locator('#second').press('Enter')
  const { devnet, browser } = stage
  expect(await confirmByMail(devnet, email, { browser })).toBe('Change who owns your account?')
  await dialog.getByRole('heading', { name: 'Your new key works' }).waitFor()
  await page.locator('#latchkey-paper-key').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    expect({ width, faults: await findFaults(page) }).toEqual({ width, faults: [] })
  }
  const paper = mnemonicToAccount(words.join(' '))
  expect(await readOwners(readChain(), { address: given })).toContain(paper.address)
  expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain(words.join(' '))
})
