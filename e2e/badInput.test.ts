import type { BrowserContext } from 'playwright-core'
import { beforeEach, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { newEmail } from './signUp.ts'
import { openWallet } from './WalletPage.ts'

const stage = setStage()
let context: BrowserContext

beforeEach(async () => {
  context = await stage.newContext()
})

test('behavior: a server that is slow to answer does not take the page away from who types meanwhile', async () => {
  let answer = () => {}
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  const isConfig = (url: string) => url.endsWith('/signer/v1/config')
  const wallet = await openWallet(context, stage.world.urls.wallet, (page) =>
    page.route(
      ({ href }) => isConfig(href),
      async (route) => {
        await held
        await route.continue()
      },
    ),
  )
  // The page has looked for its server, and does not wait on.
  const givenUp = wallet.page.waitForEvent('requestfailed', { predicate: (request) => isConfig(request.url()) })
  await Promise.all([givenUp, wallet.askForMail(newEmail())])
  answer()
  await wallet.sent.waitFor()
})
