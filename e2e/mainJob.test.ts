import { launchBrowser, startTestWorld } from 'latchkey-dev/testing'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runMainJob } from './mainJob.ts'

let world: Awaited<ReturnType<typeof startTestWorld>>
let browser: Browser

beforeAll(async () => {
  world = await startTestWorld()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await world?.close()
})

test('default', async () => {
  const done = await runMainJob({ world, browser })
  expect(done.steps.map(({ step }) => step)).toMatchInlineSnapshot(`
    [
      "open the wallet",
      "ask for the mail",
      "receive the mail",
      "open its link in a second tab",
      "second tab is signed in",
      "first tab is signed in without a click",
      "mint 100 DEMO (deploys the account)",
      "send 5 DEMO",
      "check the chain with a client of its own",
      "reload: still signed in, no new mail",
      "log out in both tabs",
    ]
  `)
  expect(done.userOpHash).toMatch(/^0x[0-9a-f]{64}$/)
  expect(done.txHash).toMatch(/^0x[0-9a-f]{64}$/)
})

test('behavior: two people side by side get different accounts', async () => {
  const [one, other] = await Promise.all([runMainJob({ world, browser }), runMainJob({ world, browser })])
  expect(one.address).not.toBe(other.address)
})
