import { authenticate, devnetTabs } from '@latchkey/testkit/signer/devnetTabs'
import { documented, neutral, vectors } from '@latchkey/testkit/signer/vectors'
import { addAuthenticator } from 'latchkey-dev/testing'
import type { Page } from 'playwright-core'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { pressSeen } from '../../../../dev/src/testing/pressSeen.ts'

const tabs = devnetTabs()

const containerId = 'export-here'
const addContainer = (tab: Page) =>
  tab.evaluate((id) => {
    const container = document.createElement('div')
    container.id = id
    document.body.append(container)
  }, containerId)
const exportWallet = (tab: Page, iframeElementId?: string) =>
  tab.evaluate(
    (parameters) =>
      window.page.signer.exportWallet(parameters).then(
        (done) => ({ done, code: undefined, message: '' }),
        ({ code, message }: { code: string; message: string }) => ({ done: undefined, code, message }),
      ),
    { iframeContainerId: containerId, iframeElementId },
  )
async function byPasskey(): Promise<Page> {
  const tab = await tabs.open()
  await addAuthenticator(tab)
  await authenticate(tab, { type: 'passkey', createNew: true, username: 'ann' })
  await addContainer(tab)
  return tab
}
const shown = async (tab: Page, elementId = 'turnkey-export-iframe') => {
  const frame = tab.frameLocator(`#${containerId} > iframe#${elementId}`)
  const [goOn, reveal] = [
    frame.getByRole('button', { name: 'I asked for this' }),
    frame.getByRole('button', { name: 'Reveal' }),
  ]
  await goOn.or(reveal).waitFor()
  if (await goOn.isVisible()) await pressSeen(goOn)
  await pressSeen(reveal)
  return (await frame.locator('#secret').textContent()) ?? ''
}
const address = (tab: Page) => tab.evaluate(() => window.page.signer.getAddress())
const sent = (name: string) => tabs.requests.filter(({ path }) => path.endsWith(`/${name}`))
const frames = (tab: Page) => tab.locator(`#${containerId} iframe`).count()
const { capturedTraffic } = vectors

test('shows the seed phrase of an email session only on the page of the confirmation mail', async () => {
  const { opened: tab, email } = await tabs.signIn()
  const { code, message } = await exportWallet(tab)
  expect([code, message]).toEqual(['FRAME_FAILED', expect.stringContaining(`no element with the id "${containerId}"`)])
  await addContainer(tab)
  const exported = exportWallet(tab)
  const phrase = await tabs.readExport(email)
  expect(await exported).toMatchObject({ done: false, code: undefined })
  expect(await frames(tab)).toBe(0)
  expect(mnemonicToAccount(phrase).address).toBe(await address(tab))
  expect(await tab.evaluate(() => document.documentElement.outerHTML)).not.toContain(phrase)
  const requests = ['list_wallets', 'list_wallet_accounts', 'export_wallet'].map((name) => sent(name)[0])
  expect(requests.map((request) => neutral(documented(request?.body ?? '')))).toEqual(
    [capturedTraffic.listWallets, capturedTraffic.listWalletAccounts, capturedTraffic.exportWallet].map(neutral),
  )
  for (const request of requests) expect(request?.headers).toHaveProperty('x-stamp')
  expect(await tab.evaluate(() => window.page.signer.signMessage('still'))).toMatch(/^0x/)
})

test('shows the private key in a passkey session, replaces it on a second export and removes it on sign-out', async () => {
  const tab = await byPasskey()
  expect(await exportWallet(tab)).toMatchObject({ done: true })
  expect(privateKeyToAccount((await shown(tab)) as `0x${string}`).address).toBe(await address(tab))
  const [request] = sent('export_wallet_account')
  expect(neutral(request?.body ?? '')).toBe(neutral(capturedTraffic.exportWalletAccount))
  expect(request?.headers).toHaveProperty('x-stamp-webauthn')
  expect(await exportWallet(tab, 'own-frame')).toMatchObject({ done: true })
  expect(await frames(tab)).toBe(1)
  const keys = sent('export_wallet_account').map(({ body }) => JSON.parse(body).parameters.targetPublicKey)
  expect(new Set(keys).size).toBe(2)
  await tab.locator(`#${containerId} > iframe#own-frame`).waitFor()
  await tab.evaluate(() => window.page.signer.disconnect())
  expect(await frames(tab)).toBe(0)
})
