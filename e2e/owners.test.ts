import { fileURLToPath } from 'node:url'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { readOwners } from 'latchkey/accounts'
import { addAuthenticator, confirmByMail, readSignInMail } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { type Address, createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { findFaults } from './findFaults.ts'
import type { Given } from './hooksPage.ts'
import { openConsole } from './openConsole.ts'
import { serveAtWallet } from './serveAtWallet.ts'
import { newEmail } from './signUp.ts'

const stage = setStage()
let server: Listening
const readChain = () => createPublicClient({ transport: http(stage.devnet.urls.node) })

beforeAll(async () => {
  server = await serveEntry(fileURLToPath(new URL('..', import.meta.url)), "import '/e2e/ownersPage.ts'")
})
afterAll(() => server?.close())

async function open(): Promise<Page> {
  const { urls, addresses, apiKey, policyId, chainId } = stage.devnet
  const context = await stage.newContext()
  await serveAtWallet(context, stage.devnet, server.url)
  const page = await context.newPage()
  const given: Given = {
    nodeUrl: urls.node,
    gatewayUrl: urls.gateway,
    signerApiUrl: urls.signerApi,
    apiKey,
    policyId,
    chainId,
    paymasters: addresses.paymasters,
    demo: addresses.demo,
    mint: '0x',
  }
  await page.addInitScript((value) => {
    window.given = value
  }, given)
  await page.goto(urls.wallet)
  return page
}

test('offers a backup key after a sign-up, and removes the sign-in key later, by keyboard', async () => {
  const { devnet, browser } = stage
  const email = newEmail()
  const page = await open()
  await addAuthenticator(page)
  const dialog = page.getByRole('dialog')
  const heading = (name: string) => dialog.getByRole('heading', { name })
  /** Moves the focus by Tab to the element with `name`, and presses `key`. */
  const press = async (name: string, key = 'Enter') => {
    const target = dialog.getByRole('button', { name }).or(dialog.getByRole('checkbox', { name }))
    await expect.poll(() => target.isEnabled()).toBe(true)
    for (let moves = 0; moves < 12; moves++) {
      if (await target.evaluate((element) => element === document.activeElement)) break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press(key)
  }
  await page.getByRole('button', { name: 'Sign in' }).click()
  await dialog.getByLabel('Email', { exact: true }).fill(email)
  await page.keyboard.press('Enter')
  await heading("You're one click away").waitFor()
  const { code = '' } = await readSignInMail(devnet, email, { skip: 0 })
  await dialog.getByRole('textbox').fill(code)
  await heading('Add a backup key').waitFor()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Add a backup key')
  expect(await findFaults(page)).toEqual([])
  await press('Passkey')
  await heading('Check your email to confirm').waitFor()
  expect(await confirmByMail(devnet, email, { browser })).toBe('Change who owns your account?')
  await heading('Your new key works').waitFor()
  await press('Done')
  await dialog.waitFor({ state: 'hidden' })
  const account = (await page.locator('#account').textContent()) as Address
  await expect.poll(() => page.locator('#kinds').textContent()).toBe('passkey,key')
  const [passkey, key] = await readOwners(readChain(), { address: account })

  await page.getByRole('button', { name: 'Owners' }).click()
  await heading('Add a backup key').waitFor()
  await press('Also remove the sign-in key', 'Space')
  await dialog.getByRole('checkbox', { checked: true }).waitFor()
  expect(await dialog.getByRole('button', { name: 'Paper key' }).isDisabled()).toBe(true)
  await press('Passkey')
  await heading('Check your email to confirm').waitFor()
  // Without the confirmation, the page changes nothing.
  await press('Cancel')
  await heading('Your new key is not ready yet').waitFor()
  expect(await readOwners(readChain(), { address: account })).toEqual([passkey, key])
  await press('Continue')
  await heading('Check your email to confirm').waitFor()
  expect(await confirmByMail(devnet, email, { browser, skip: 2 })).toBe('Change who owns your account?')
  await heading('Your new key works').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  await expect.poll(() => page.locator('#kinds').textContent()).toBe('passkey,passkey')
  const left = await readOwners(readChain(), { address: account })
  expect(left).toContain(passkey)
  expect(left).not.toContain(key)

  const desk = await openConsole(await stage.newContext(), devnet.urls.console, `users?q=${email}`)
  await desk.getByRole('link', { name: email }).click()
  await desk.getByText('Owners', { exact: true }).click()
  await expect.poll(() => desk.locator('details .pill').allTextContents()).toEqual(['Passkey', 'Passkey'])
  for (const width of [360, 1280]) {
    await desk.setViewportSize({ width, height: 800 })
    expect({ width, faults: await findFaults(desk) }).toEqual({ width, faults: [] })
  }
})
