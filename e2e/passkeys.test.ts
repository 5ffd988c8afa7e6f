import { addAuthenticator, type Credential } from 'latchkey-dev/testing'
import type { BrowserContext } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { findFaults } from './findFaults.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

const stage = setStage()

type Device = addAuthenticator.ReturnType

let person: { passkey: Credential; address: string }
beforeAll(async () => {
  const { device, address } = await signUpByPasskey(await stage.newSharedContext())
  person = { passkey: await onlyPasskey(device), address }
})

let copies = 0
/** Returns a copy of the passkey with a counter above all earlier ones. */
function copyOfPasskey(): Credential {
  copies += 1
  return { ...person.passkey, signCount: person.passkey.signCount + 100 * copies }
}

async function openWithDevice(context: BrowserContext, options?: addAuthenticator.Options) {
  const wallet = await openWallet(context, stage.devnet.urls.wallet)
  return { wallet, device: await addAuthenticator(wallet.page, options) }
}

async function signUpByPasskey(context: BrowserContext, options?: addAuthenticator.Options) {
  const opened = await openWithDevice(context, options)
  await opened.wallet.createPasskeyAccount()
  return { ...opened, address: await opened.wallet.signedInAddress() }
}

async function onlyPasskey(device: Device): Promise<Credential> {
  const [credential, ...others] = await device.credentials()
  expect(others).toEqual([])
  if (!credential) throw new TypeError('the device holds no passkey')
  return credential
}

async function logOut(wallet: WalletPage): Promise<void> {
  await wallet.logOut.click()
  await wallet.signIn.waitFor()
}

test('signs up by passkey, prompts once per operation, logs out of every tab and signs in again', async () => {
  const context = await stage.newContext()
  const { wallet, device, address } = await signUpByPasskey(context)
  expect(await onlyPasskey(device)).toMatchObject({ isResidentCredential: true, rpId: 'localhost' })
  const prompts = async (): Promise<number> => (await onlyPasskey(device)).signCount
  const before = await prompts()
  await wallet.page.reload()
  expect(await wallet.signedInAddress()).toBe(address)
  expect(await prompts()).toBe(before)
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  expect(await prompts()).toBe(before + 1)
  // The wallet suggests a second sign-in method once.
  await wallet.page.getByText('This passkey is your only way to sign in.').waitFor()
  await wallet.page.getByRole('button', { name: 'Not now' }).click()
  await wallet.page.reload()
  await wallet.removePasskey.or(wallet.addPasskey).first().waitFor()
  expect(await wallet.page.getByText('This passkey is your only way to sign in.').count()).toBe(0)
  const other = await openWallet(context, stage.devnet.urls.wallet)
  expect(await other.signedInAddress()).toBe(address)
  await logOut(wallet)
  await other.signIn.waitFor()
  expect(await wallet.page.evaluate(() => JSON.stringify(localStorage))).not.toContain('credentialId')
  await wallet.askForPasskey()
  expect(await wallet.signedInAddress()).toBe(address)
  await wallet.showsBalance('100.00 DEMO')
})

test('explains an expired session in page and dialog until the next sign-in', async () => {
  const { wallet, device } = await openWithDevice(await stage.newContext())
  await device.add(copyOfPasskey())
  await wallet.askForPasskey()
  await wallet.signedInAddress()
  await wallet.page.evaluate((key) => {
    const stored = JSON.parse(localStorage.getItem(key) ?? '')
    stored.state.session.expirationDateMs = Date.now()
    localStorage.setItem(key, JSON.stringify(stored))
  }, 'alchemy-signer-session')
  await wallet.page.reload()
  await wallet.page.getByRole('heading', { name: 'You were signed out after 15 minutes' }).waitFor()
  expect(await findFaults(wallet.page)).toEqual([])
  await wallet.signInAgain.click()
  await wallet.page.getByRole('dialog').getByText('You were signed out after 15 minutes.').waitFor()
  await wallet.passkey.click()
  expect(await wallet.signedInAddress()).toBe(person.address)
  await logOut(wallet)
  await wallet.page.getByRole('heading', { name: 'A wallet that opens with your email' }).waitFor()
})

test('offers a passkey in the email field, and nothing once signed in', async () => {
  const { wallet, device } = await openWithDevice(await stage.newContext(), { hasAutofill: true })
  await device.add(copyOfPasskey())
  // Simulates a user who has not reacted to the browser's offer.
  await device.setPresent(false)
  await wallet.signIn.click()
  await wallet.email.fill('ada@example.com')
  expect(await wallet.email.getAttribute('autocomplete')).toBe('username webauthn')
  await wallet.close.click()
  await device.setPresent(true)
  expect(await wallet.address.count()).toBe(0)
  await wallet.signIn.click()
  expect(await wallet.signedInAddress()).toBe(person.address)
})
