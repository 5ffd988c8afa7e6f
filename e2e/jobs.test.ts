import { beforeAll, expect, test } from 'vitest'
import { runFullJob } from './fullJob.ts'
import { runMainJob } from './mainJob.ts'
import { setStage } from './setStage.ts'

const stage = setStage()
let [main, full] = [] as unknown as [runMainJob.ReturnType, runFullJob.ReturnType]

beforeAll(async () => {
  const { world, browser } = stage
  ;[main, full] = await Promise.all([runMainJob({ world, browser }), runFullJob({ world, browser })])
})

const names = ({ steps }: runMainJob.ReturnType) => steps.map(({ step }) => step)

test('default: the main job', () => {
  expect(names(main)).toMatchInlineSnapshot(`
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
  expect(main.userOpHash).toMatch(/^0x[0-9a-f]{64}$/)
  expect(main.txHash).toMatch(/^0x[0-9a-f]{64}$/)
})

test('default: a whole life with the wallet', () => {
  expect(names(full)).toMatchInlineSnapshot(`
    [
      "open the wallet",
      "ask for the mail",
      "receive the mail",
      "open its link: a passkey is offered",
      "add a passkey",
      "mint 100 DEMO (deploys the account)",
      "send 5 DEMO, signed by the e-mail session",
      "log out",
      "sign in by the passkey",
      "send 5 DEMO, signed by the passkey",
      "ask for the export: a mail asks back",
      "confirm it in the mail",
      "read the private key",
      "log out again",
      "check the chain with a client of its own",
      "move 1 DEMO by the exported key alone",
    ]
  `)
  expect(full.userOpHash).toMatch(/^0x[0-9a-f]{64}$/)
})

test('behavior: two people side by side have different accounts', () => {
  expect(main.address).not.toBe(full.address)
})
