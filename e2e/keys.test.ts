import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { addAuthenticator, pressSeen } from 'latchkey-dev/testing'
import type { Route } from 'playwright-core'
import { getAddress, type Hex, type LocalAccount, parseEther, toHex } from 'viem'
import { english, generateMnemonic, generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { exportedSecret } from './exportedSecret.ts'
import { readDemo } from './readChain.ts'
import { newEmail, signUp } from './signUp.ts'
import { spendAsOwner } from './spendAsOwner.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

const stage = setStage()
const custodyPath = (name: string): string => `${stage.world.urls.custody}/public/v1/${name}`

/** The holder of the secret moves what the account holds, with viem alone. */
async function expectControl(wallet: WalletPage, account: Hex, owner: LocalAccount): Promise<void> {
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  const nodeUrl = stage.world.urls.node
  const { demo } = stage.world.addresses
  const to = getAddress(toHex(randomBytes(20)))
  await spendAsOwner({ nodeUrl, owner, account, demo, to, amount: parseEther('30') })
  expect(await readDemo({ nodeUrl, demo, holder: to })).toBe(parseEther('30'))
}

const exitCommand = fileURLToPath(new URL('../packages/dev/dist/cli/main.js', import.meta.url))

/** What people keep, the descriptor of the wallet and the phrase of the frame, moves the rest while no part of the server runs. */
async function expectExit({ page }: WalletPage, account: Hex, phrase: string): Promise<void> {
  const { urls, addresses, interrupt } = stage.world
  const to = getAddress(toHex(randomBytes(20)))
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-exit-'))
  const file = (name: string) => join(folder, name)
  const press = page.getByRole('button', { name: 'Download account descriptor' }).click()
  const [download] = await Promise.all([page.waitForEvent('download'), press])
  await download.saveAs(file('account.json'))
  writeFileSync(file('phrase'), phrase)
  const parts = ['signerApi', 'custody', 'gateway', 'bundler', 'mail'] as const
  const bringBack = await Promise.all(parts.map((part) => interrupt(part)))
  try {
    const args = ['--descriptor', file('account.json'), '--rpc-url', urls.node, '--secret-file', file('phrase')]
    const command = [exitCommand, 'exit', ...args, '--to', to, '--asset', addresses.demo, '--json']
    const { stdout } = await promisify(execFile)(process.execPath, command, { timeout: 60_000 })
    expect(JSON.parse(stdout)).toMatchObject({ account, to, sent: true })
    expect(await readDemo({ nodeUrl: urls.node, demo: addresses.demo, holder: to })).toBe(parseEther('70'))
  } finally {
    await Promise.all(bringBack.map((bring) => bring()))
    rmSync(folder, { recursive: true })
  }
}

describe('export', () => {
  test('default: an e-mail session exports the seed phrase; logging out takes it off the page', async () => {
    const email = newEmail()
    const { wallet, address } = await signUp({ world: stage.world, context: await stage.newContext(), email })
    await wallet.exportWallet.click()
    await stage.confirm(email)
    const phrase = await exportedSecret(wallet.page)
    expect(phrase.split(' ')).toHaveLength(12)
    await expectControl(wallet, address, mnemonicToAccount(phrase))
    await expectExit(wallet, address, phrase)
    await wallet.logOut.click()
    await wallet.signIn.waitFor()
    await wallet.page.locator('iframe#turnkey-export-iframe').waitFor({ state: 'detached' })
  })

  test('behavior: a person without an address exports the private key by the passkey alone', async () => {
    const wallet = await openWallet(await stage.newContext(), stage.world.urls.wallet, addAuthenticator)
    await wallet.createPasskeyAccount()
    const address = await wallet.signedInAddress()
    await wallet.exportWallet.click()
    const key = await exportedSecret(wallet.page)
    expect(key).toMatch(/^0x[0-9a-f]{64}$/)
    await expectControl(wallet, address, privateKeyToAccount(key as Hex))
  })

  test('error: a tampered bundle, no such wallet and a frame that does not answer are told, and the next try works', async () => {
    const email = newEmail()
    const { wallet } = await signUp({ world: stage.world, context: await stage.newContext(), email })
    const { page, exportWallet, alert } = wallet
    await exportWallet.click()
    await wallet.confirmation.waitFor()
    await page.route(custodyPath('submit/export_wallet'), tamper)
    await stage.confirm(email)
    await alert.filter({ hasText: 'Failed to inject wallet export bundle' }).waitFor()
    await page.unroute(custodyPath('submit/export_wallet'))

    const without = (route: Route) =>
      route.fulfill({ json: { accounts: [] }, headers: { 'access-control-allow-origin': '*' } })
    await page.route(custodyPath('query/list_wallet_accounts'), without, { times: 1 })
    await exportWallet.click()
    await alert.filter({ hasText: /Could not find wallet associated with 0x[0-9a-fA-F]{40}/ }).waitFor()

    const bringBack = await stage.world.interrupt('exportFrame')
    try {
      await exportWallet.click()
      await alert.filter({ hasText: /Could not export the wallet\..*did not answer/ }).waitFor({ timeout: 60_000 })
    } finally {
      await bringBack()
    }
    await exportWallet.click()
    await stage.confirm(email, 1)
    expect((await exportedSecret(page)).split(' ')).toHaveLength(12)
  })
})

/** Changes one digit of the signature over the sealed secret, once there is one. */
async function tamper(route: Route): Promise<void> {
  const response = await route.fetch()
  const text = await response.text()
  const changed = text.replace(/(dataSignature\\":\\"30[0-9a-f]{20})([0-9a-f])/, (_, head: string, digit: string) =>
    head.concat(digit === '0' ? '1' : '0'),
  )
  if (!text.includes('ACTIVITY_STATUS_PENDING')) expect(changed).not.toBe(text)
  await route.fulfill({ response, body: changed })
}

describe('import', () => {
  const frameOf = ({ page }: WalletPage) => page.frameLocator('#turnkey-import-iframe')
  const phrase = generateMnemonic(english)
  const key = generatePrivateKey()
  /** The page asks for the secret, and the person agrees in the frame. */
  async function submit(wallet: WalletPage): Promise<void> {
    await wallet.submitImport.click()
    await pressSeen(frameOf(wallet).getByRole('button', { name: 'Import' }))
  }

  test('default: a phrase and a key are taken, never by the page; what the frame refuses can be typed anew', async () => {
    const { wallet, address } = await signUp({ world: stage.world, context: await stage.newContext() })
    await wallet.importPhrase.click()
    const secret = frameOf(wallet).getByRole('textbox', { name: 'Seed phrase or private key' })
    await secret.fill('test test test')
    await wallet.submitImport.click()
    await wallet.alert.filter({ hasText: 'The frame says why.' }).waitFor()
    await frameOf(wallet).getByText('3 words; a seed phrase has 12').waitFor()
    await secret.fill(phrase)
    await submit(wallet)
    await wallet.imported.filter({ hasText: mnemonicToAccount(phrase).address }).waitFor()

    await wallet.importKey.click()
    await secret.fill(key)
    await submit(wallet)
    await wallet.imported.filter({ hasText: privateKeyToAccount(key).address }).waitFor()
    await wallet.page.locator('#turnkey-import-iframe').waitFor({ state: 'hidden' })
    const outside = await wallet.page.evaluate(
      () => document.documentElement.outerHTML + JSON.stringify({ ...localStorage }),
    )
    for (const typed of [phrase, key, key.slice(2)]) expect(outside).not.toContain(typed)
    // The account in use is the one before.
    expect(await wallet.signedInAddress()).toBe(address)
  })

  test('error: what the service refuses starts anew; Cancel and logging out take the frame away', async () => {
    const { wallet } = await signUp({ world: stage.world, context: await stage.newContext() })
    const { page } = wallet
    const frame = page.locator('#turnkey-import-iframe')
    await page.route(custodyPath('submit/import_wallet'), (route) => route.abort(), { times: 1 })
    await wallet.importPhrase.click()
    await frameOf(wallet).getByRole('textbox', { name: 'Seed phrase or private key' }).fill(phrase)
    await submit(wallet)
    await wallet.alert.filter({ hasText: /Could not import\..*Could not reach/ }).waitFor()
    await wallet.importPhrase.click()
    await frameOf(wallet).getByRole('textbox').first().waitFor()
    expect(await wallet.alert.count()).toBe(0)
    await wallet.cancelImport.click()
    await frame.waitFor({ state: 'detached' })

    await wallet.importKey.click()
    await frameOf(wallet).getByRole('textbox').first().waitFor()
    await wallet.logOut.click()
    await wallet.signIn.waitFor()
    await frame.waitFor({ state: 'detached' })
  })
})
