import { launchBrowser } from 'latchkey-dev/testing'
import { expect, test } from 'vitest'
import { runFullJob } from './fullJob.ts'
import { setStage } from './setStage.ts'

const stage = setStage()

test('default', async () => {
  const browser = await launchBrowser()
  try {
    const done = await runFullJob({ world: stage.world, browser })
    expect(done.steps.map(({ step }) => step)).toMatchInlineSnapshot(`
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
        "export the private key",
        "log out again",
        "check the chain with a client of its own",
        "move 1 DEMO by the exported key alone",
      ]
    `)
    expect(done.userOpHash).toMatch(/^0x[0-9a-f]{64}$/)
  } finally {
    await browser.close()
  }
})
