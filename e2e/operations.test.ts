import { startPatientBundler } from '@latchkey/testkit/wallet/startPatientBundler'
import type { Page, Request, Response } from 'playwright-core'
import { getAddress, parseEther } from 'viem'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { readDemo } from './readChain.ts'
import { signUp } from './signUp.ts'

const stage = setStage()
const demoOf = (holder: `0x${string}`) =>
  readDemo({ nodeUrl: stage.devnet.urls.node, demo: stage.devnet.addresses.demo, holder })
const start = async () => signUp({ devnet: stage.devnet, context: await stage.newContext() })

/** Returns the requests from a click until its operation is accepted, without those that only display something. */
async function askedBy(page: Page, press: () => Promise<void>): Promise<string[]> {
  const { entryPoints } = stage.devnet.addresses
  const shown = /^(eth_getBalance|eth_getCode|eth_getUserOperationReceipt|alchemy_simulateUserOperationAssetChanges)$/
  const asked: string[] = []
  const onRequest = (request: Request) => {
    // Custody queries fill the lists of sessions and passkeys.
    if (request.method() !== 'POST' || request.url().includes('/public/v1/query/')) return
    const { method = new URL(request.url()).pathname.split('/').at(-1), params = [] } = request.postDataJSON() ?? {}
    // An `eth_call` of an entry point reads the nonce; any other only reads data for display.
    const isShown =
      method === 'eth_call' && !Object.values(entryPoints).some((each) => each === getAddress(params[0].to))
    if (!isShown && !shown.test(method)) asked.push(method)
  }
  const isSend = (response: Response) => /eth_sendUserOperation/.test(response.request().postData() ?? '')
  // Cards load their own data first.
  await expect.poll(() => page.locator('.blank').count()).toBe(0)
  await page.waitForLoadState('networkidle')
  page.on('request', onRequest)
  await Promise.all([page.waitForResponse(isSend), press()])
  page.off('request', onRequest)
  // The wait for the receipt has begun by now.
  return asked.slice(0, asked.indexOf('eth_sendUserOperation') + 1)
}

test('sends by three requests', async () => {
  const { wallet } = await start()
  const three = ['latchkey_prepareUserOperation', 'sign-payload', 'eth_sendUserOperation']
  // The first send deploys the account.
  for (const balance of ['100.00 DEMO', '200.00 DEMO']) {
    expect(await askedBy(wallet.page, () => wallet.mint.click())).toEqual(three)
    await wallet.showsBalance(balance)
  }
})

test('replaces a pending operation by one with a higher fee', async () => {
  const { wallet, address } = await start()
  await wallet.mint.click()
  await wallet.showsBalance('100.00 DEMO')
  const { devnet } = stage
  const bringBack = await devnet.interrupt('bundler')
  const bundler = await startPatientBundler(devnet.urls.node, Number(new URL(devnet.urls.bundler).port))
  try {
    await wallet.mint.click()
    await wallet.replace.click()
    await wallet.activity.filter({ hasText: 'replaced' }).waitFor()
    expect(await demoOf(address)).toBe(parseEther('100'))
    // The next visit resumes the operation and reports it once.
    await wallet.page.reload()
    await wallet.activity.filter({ hasText: 'Pending' }).waitFor()
    expect(await wallet.activity.getByText('Pending').count()).toBe(1)
    await bundler.bundle()
    await wallet.showsBalance('200.00 DEMO')
  } finally {
    await bundler.close()
    await bringBack()
  }
})

test('shows an unsigned operation as not sent after a reload until it is dismissed', async () => {
  const { wallet, address } = await start()
  const { page, activity } = wallet
  const isGateway = (url: URL) => url.origin === new URL(stage.devnet.urls.gateway).origin
  await page.route(isGateway, () => {})
  await wallet.mint.click()
  await activity.filter({ hasText: 'Signing' }).waitFor()
  await page.unroute(isGateway)
  await page.reload()
  await activity.filter({ hasText: 'Not sent' }).waitFor()
  await activity.filter({ hasText: 'The page was closed before it was signed.' }).waitFor()
  await page.getByRole('button', { name: 'Dismiss: Mint 100.00 DEMO' }).click()
  await activity.filter({ hasText: 'Nothing yet' }).waitFor()
  expect(await demoOf(address)).toBe(0n)
})
