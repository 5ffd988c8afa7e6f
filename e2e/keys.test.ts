import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { confirmByMail, readConfirmationMail, readExportByMail, waitForMail } from 'latchkey-dev/testing'
import { getAddress, type Hex, type LocalAccount, parseEther, toHex } from 'viem'
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { readDemo } from './readChain.ts'
import { newEmail, signUp } from './signUp.ts'
import { spendAsOwner } from './spendAsOwner.ts'
import type { WalletPage } from './WalletPage.ts'

const stage = setStage()
/** Expects that the exported secret alone, with viem, can spend from the account. */
async function expectControl(wallet: WalletPage, account: Hex, owner: LocalAccount): Promise<void> {
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  const nodeUrl = stage.devnet.urls.node
  const { demo } = stage.devnet.addresses
  const to = getAddress(toHex(randomBytes(20)))
  await spendAsOwner({ nodeUrl, owner, account, demo, to, amount: parseEther('30') })
  expect(await readDemo({ nodeUrl, demo, holder: to })).toBe(parseEther('30'))
}

const exitCommand = fileURLToPath(new URL('../packages/dev/dist/cli/main.js', import.meta.url))

/** Expects that descriptor and seed phrase can move the remaining tokens while the whole server is down. */
async function expectExit({ page }: WalletPage, account: Hex, phrase: string): Promise<void> {
  const { urls, addresses, interrupt } = stage.devnet
  const to = getAddress(toHex(randomBytes(20)))
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-exit-'))
  const file = (name: string) => join(folder, name)
  const press = page.getByRole('button', { name: 'Download account file' }).click()
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

/** Expects the same owner key in the wallet, in the e-mail and on the confirmation page. */
async function expectSameFacts({ page }: WalletPage, email: string): Promise<void> {
  const key =
    (await page
      .getByRole('region', { name: 'Take your keys' })
      .getByLabel('Owner key', { exact: true })
      .textContent()) ?? ''
  const link = await readConfirmationMail(stage.devnet, email)
  await waitForMail(stage.devnet, email, { matching: ({ text }) => text.includes(`Owner key: ${key}`) })
  const asking = await page.context().newPage()
  await asking.goto(link)
  const fact = asking.locator('div', { has: asking.locator('dt', { hasText: /^Owner key$/ }) }).locator('dd')
  expect(await fact.last().textContent()).toBe(key)
  await asking.close()
}

test('imports a private key that the user enters on the page of the email', async () => {
  const email = newEmail()
  const { wallet } = await signUp({ devnet: stage.devnet, context: await stage.newContext(), email })
  const secret = generatePrivateKey()
  await wallet.importKey.click()
  await wallet.page.getByText('enter your private key there').waitFor()
  await confirmByMail(stage.devnet, email, { browser: stage.browser, secret })
  await wallet.imported.getByText(privateKeyToAddress(secret)).waitFor()
})

test('exports the seed phrase from an email session, which moves the account without any service', async () => {
  const email = newEmail()
  const { wallet, address } = await signUp({ devnet: stage.devnet, context: await stage.newContext(), email })
  await wallet.exportWallet.click()
  await expectSameFacts(wallet, email)
  const phrase = await readExportByMail(stage.devnet, email, { browser: stage.browser })
  expect(phrase.split(' ')).toHaveLength(12)
  await expectControl(wallet, address, mnemonicToAccount(phrase))
  await expectExit(wallet, address, phrase)
})
