import { randomBytes } from 'node:crypto'
import { addAuthenticator } from 'latchkey-dev/testing'
import type { Route } from 'playwright-core'
import { getAddress, type Hex, type LocalAccount, parseEther, toHex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { exportedSecret } from './exportedSecret.ts'
import { readDemo } from './readChain.ts'
import { setStage } from './setStage.ts'
import { signUp } from './signUp.ts'
import { spendAsOwner } from './spendAsOwner.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

const stage = setStage()
const custodyPath = (name: string): string => `${stage.world.urls.custody}/public/v1/${name}`

/** Whoever holds the secret moves what the account holds, with viem alone. */
async function expectControl(wallet: WalletPage, account: Hex, owner: LocalAccount): Promise<void> {
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  const nodeUrl = stage.world.urls.node
  const { demo } = stage.world.addresses
  const to = getAddress(toHex(randomBytes(20)))
  await spendAsOwner({ nodeUrl, owner, account, demo, to, amount: parseEther('30') })
  expect(await readDemo({ nodeUrl, demo, holder: to })).toBe(parseEther('30'))
}

test('default: an e-mail session exports the seed phrase', async () => {
  const { wallet, address } = await signUp({ world: stage.world, context: await stage.newContext() })
  await wallet.exportWallet.click()
  const phrase = await exportedSecret(wallet.page)
  expect(phrase.split(' ')).toHaveLength(12)
  await expectControl(wallet, address, mnemonicToAccount(phrase))
})

test('behavior: a passkey session exports the private key', async () => {
  const wallet = await openWallet(await stage.newContext(), stage.world.urls.wallet, addAuthenticator)
  await wallet.askForPasskey()
  await wallet.newPasskey.click()
  const address = await wallet.signedInAddress()
  await wallet.exportWallet.click()
  const key = await exportedSecret(wallet.page)
  expect(key).toMatch(/^0x[0-9a-f]{64}$/)
  await expectControl(wallet, address, privateKeyToAccount(key as Hex))
})

test('behavior: logging out takes the secret off the page', async () => {
  const { wallet } = await signUp({ world: stage.world, context: await stage.newContext() })
  await wallet.exportWallet.click()
  await exportedSecret(wallet.page)
  await wallet.logOut.click()
  await wallet.signIn.waitFor()
  expect(await wallet.page.locator('iframe#turnkey-export-iframe').count()).toBe(0)
})

test('error: a tampered bundle is not shown, and the next try works', async () => {
  const { wallet } = await signUp({ world: stage.world, context: await stage.newContext() })
  const tamper = async (route: Route): Promise<void> => {
    const response = await route.fetch()
    const text = await response.text()
    // One digit of the signature over the sealed secret.
    const changed = text.replace(/(dataSignature\\":\\"30[0-9a-f]{20})([0-9a-f])/, (_, head: string, digit: string) =>
      head.concat(digit === '0' ? '1' : '0'),
    )
    expect(changed).not.toBe(text)
    await route.fulfill({ response, body: changed })
  }
  await wallet.page.route(custodyPath('submit/export_wallet'), tamper, { times: 1 })
  await wallet.exportWallet.click()
  await wallet.alert.filter({ hasText: 'Failed to inject wallet export bundle' }).waitFor()
  await wallet.exportWallet.click()
  expect((await exportedSecret(wallet.page)).split(' ')).toHaveLength(12)
})

test('error: custody knows no wallet of that address', async () => {
  const { wallet } = await signUp({ world: stage.world, context: await stage.newContext() })
  await wallet.page.route(custodyPath('query/list_wallet_accounts'), async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, json: { accounts: [] } })
  })
  await wallet.exportWallet.click()
  await wallet.alert.filter({ hasText: /Could not find wallet associated with 0x[0-9a-fA-F]{40}/ }).waitFor()
})

test('error: the frame does not answer, and the next try works', async () => {
  const { wallet } = await signUp({ world: stage.world, context: await stage.newContext() })
  const bringBack = await stage.world.interrupt('exportFrame')
  try {
    await wallet.exportWallet.click()
    await wallet.alert.filter({ hasText: 'Export: not done.' }).waitFor({ timeout: 60_000 })
  } finally {
    await bringBack()
  }
  await wallet.exportWallet.click()
  expect((await exportedSecret(wallet.page)).split(' ')).toHaveLength(12)
})
