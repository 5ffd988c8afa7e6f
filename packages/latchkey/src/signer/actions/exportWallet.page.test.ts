import { type SignerWorld, startSignerWorld } from '@latchkey/testkit/signer/startSignerWorld'
import { neutral, vectors } from '@latchkey/testkit/signer/vectors'
import type { Page } from 'playwright-core'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { addAuthenticator } from '../../../../dev/src/testing/addAuthenticator.ts'
import { pressSeen } from '../../../../dev/src/testing/pressSeen.ts'

let world: SignerWorld

beforeAll(async () => {
  world = await startSignerWorld({ withExport: true })
})
afterAll(() => world?.close())
afterEach(() => world.reset())

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
async function byMail(): Promise<Page> {
  const tab = await world.signInByMail()
  await addContainer(tab)
  return tab
}
async function byPasskey(): Promise<Page> {
  const tab = await world.open()
  await addAuthenticator(tab)
  await tab.evaluate(() => window.page.signer.authenticate({ type: 'passkey', createNew: true, username: 'ann' }))
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
const seen = (name: string) => world.peer.requests.filter(({ path }) => path.endsWith(`/${name}`))
const frames = (tab: Page) => tab.locator(`#${containerId} iframe`).count()

test('default: an e-mail session shows the seed phrase of the account', async () => {
  const tab = await byMail()
  expect(await exportWallet(tab)).toMatchObject({ done: true })
  expect(mnemonicToAccount(await shown(tab)).address).toBe(await address(tab))
  expect(await tab.evaluate(() => document.documentElement.outerHTML)).not.toContain(
    world.peer.secretsOf(await address(tab))?.mnemonic,
  )
  expect(await tab.locator(`#${containerId}`).isVisible()).toBe(true)
  // The other frame is as it was.
  expect(await tab.evaluate(() => window.page.signer.signMessage('still'))).toMatch(/^0x/)
})

test('default: a passkey session shows the private key', async () => {
  const tab = await byPasskey()
  expect(await exportWallet(tab)).toMatchObject({ done: true })
  expect(privateKeyToAccount((await shown(tab)) as `0x${string}`).address).toBe(await address(tab))
})

test('behavior: the requests are those of the documented wire, byte for byte', async () => {
  const mail = await byMail()
  await exportWallet(mail)
  const { capturedTraffic } = vectors
  const sent = ['list_wallets', 'list_wallet_accounts', 'export_wallet'].map((name) => seen(name)[0])
  expect(sent.map((request) => neutral(request?.body ?? ''))).toEqual(
    [capturedTraffic.listWallets, capturedTraffic.listWalletAccounts, capturedTraffic.exportWallet].map(neutral),
  )
  for (const request of sent) expect(request?.headers).toHaveProperty('x-stamp')
  await mail.evaluate(() => window.page.signer.disconnect())
  await exportWallet(await byPasskey())
  const [key] = seen('export_wallet_account')
  expect(neutral(key?.body ?? '')).toBe(neutral(capturedTraffic.exportWalletAccount))
  expect(key?.headers).toHaveProperty('x-stamp-webauthn')
})

test('behavior: the wallets are read in their order until the address is found', async () => {
  world.peer.faults.otherWallets = 2
  const tab = await byMail()
  expect(await exportWallet(tab)).toMatchObject({ done: true })
  expect(seen('list_wallet_accounts')).toHaveLength(3)
  expect(mnemonicToAccount(await shown(tab)).address).toBe(await address(tab))
})

test('behavior: a second export takes the place of the first, with another key', async () => {
  const tab = await byMail()
  await exportWallet(tab)
  expect(await exportWallet(tab)).toMatchObject({ done: true })
  expect(await frames(tab)).toBe(1)
  const keys = seen('export_wallet').map(({ body }) => JSON.parse(body).parameters.targetPublicKey)
  expect(new Set(keys).size).toBe(2)
  expect(mnemonicToAccount(await shown(tab)).address).toBe(await address(tab))
})

test('param: iframeElementId', async () => {
  const tab = await byMail()
  await exportWallet(tab, 'own-frame')
  expect(await shown(tab, 'own-frame')).not.toBe('')
})

test('behavior: signing out removes what is shown', async () => {
  const tab = await byMail()
  await exportWallet(tab)
  await tab.evaluate(() => window.page.signer.disconnect())
  expect(await frames(tab)).toBe(0)
})

describe('what is refused', () => {
  const refused = async (tab: Page) => {
    const { done, code, message } = await exportWallet(tab)
    expect(done).toBeUndefined()
    expect(await frames(tab)).toBe(0)
    return { code, message: message.split('\n')[0] }
  }
  const notInjected = { code: 'BUNDLE_INJECTION_FAILED', message: 'Failed to inject wallet export bundle' }

  test('error: no user is signed in', async () => {
    const tab = await world.open()
    await addContainer(tab)
    expect(await refused(tab)).toEqual({
      code: 'SIGNER_NOT_AUTHENTICATED',
      message: 'Signer not authenticated. Please authenticate to use this signer',
    })
  })

  test('error: no wallet has the address', async () => {
    world.peer.faults.noWallet = true
    const tab = await byMail()
    expect(await refused(tab)).toEqual({
      code: 'WALLET_NOT_FOUND',
      message: `Could not find wallet associated with ${await address(tab)}`,
    })
  })

  test('error: a tampered bundle', async () => {
    world.peer.faults.tamper = (bundle) => {
      const outer = JSON.parse(bundle) as { data: string }
      return JSON.stringify({ ...outer, data: outer.data.replace('22', '23') })
    }
    expect(await refused(await byMail())).toEqual(notInjected)
  })

  test('error: a bundle that names a foreign key', async () => {
    world.peer.faults.tamper = (bundle) =>
      JSON.stringify({ ...JSON.parse(bundle), enclaveQuorumPublic: vectors.exportBundle.target.publicKey })
    expect(await refused(await byPasskey())).toEqual(notInjected)
  })

  test('error: the bundle of another organization, though the service signed it', async () => {
    world.peer.faults.exportFor = '66666666-7777-4888-9999-aaaaaaaaaaaa'
    expect(await refused(await byMail())).toEqual(notInjected)
  })

  test('error: the activity is rejected', async () => {
    world.peer.faults.ends = 'ACTIVITY_STATUS_REJECTED'
    expect((await refused(await byMail())).code).toBe('ACTIVITY_FAILED')
  })

  test('error: the prompt for the passkey is closed', async () => {
    const tab = await byPasskey()
    await tab.evaluate(() => {
      navigator.credentials.get = () => Promise.reject(new DOMException('no', 'NotAllowedError'))
    })
    expect((await refused(tab)).code).toBe('PASSKEY_CANCELLED')
  })

  test('error: the page has no such container', async () => {
    const tab = await world.signInByMail()
    const { code, message } = await exportWallet(tab)
    expect(code).toBe('FRAME_FAILED')
    expect(message).toContain(`no element with the id "${containerId}"`)
    expect(seen('export_wallet')).toEqual([])
  })

  test('behavior: signing out while an export is under way ends it', async () => {
    world.peer.faults.polls = 1
    const tab = await byMail()
    const code = await tab.evaluate((iframeContainerId) => {
      const { signer } = window.page
      const asked = signer.exportWallet({ iframeContainerId }).catch((error: { code: string }) => error.code)
      setTimeout(() => signer.disconnect(), 300)
      return asked
    }, containerId)
    expect(code).toBe('ABORTED')
    expect(await frames(tab)).toBe(0)
  })
})
