import { startPatientBundler } from '@latchkey/testkit/wallet/startPatientBundler'
import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { readDemo } from './readChain.ts'
import { signUp } from './signUp.ts'

const stage = setStage()
const demoOf = (holder: `0x${string}`) =>
  readDemo({ nodeUrl: stage.devnet.urls.node, demo: stage.devnet.addresses.demo, holder })
const start = async () => signUp({ devnet: stage.devnet, context: await stage.newContext() })

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
    // The next visit must resume the operation and show it once.
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
