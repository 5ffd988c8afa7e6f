import { randomBytes } from 'node:crypto'
import { predictLightAccountAddress } from 'latchkey/accounts'
import type { World } from 'latchkey-dev'
import type { Browser, BrowserContext } from 'playwright-core'
import { type Address, getAddress, type Hex, parseEther, toHex } from 'viem'
import { demand } from './demand.ts'
import { readChain, readDemo } from './readChain.ts'
import { linkFor, newEmail } from './signUp.ts'
import { type Step, type Timed, timedSteps } from './timedSteps.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

export declare namespace runMainJob {
  type Parameters = {
    world: World
    browser: Browser
    /** Told after each step. */
    onStep?: ((step: Step) => void) | undefined
  }
  type ReturnType = { address: Address; userOpHash: Hex; txHash: Hex; block: bigint; steps: Step[] }
}

type Job = { world: World; context: BrowserContext; timed: Timed; email: string }

/**
 * The main job as a person does it: sign in by e-mail, get a smart account, send sponsored operations, reload, log out.
 * The page is driven by role and label, the mail is read from the inbox, the outcome from the chain. Throws when
 * anything differs from what it should be.
 */
export async function runMainJob(parameters: runMainJob.Parameters): Promise<runMainJob.ReturnType> {
  const { world, browser, onStep } = parameters
  const { steps, timed } = timedSteps(onStep)
  const context = await browser.newContext()
  context.setDefaultTimeout(20_000)
  try {
    const job: Job = { world, context, timed, email: newEmail() }
    const { first, second, address } = await signIn(job)
    const recipient = getAddress(toHex(randomBytes(20)))
    await operate(job, first, recipient)
    const last = await timed('check the chain with a client of its own', () => checkChain(job, address, recipient))
    await reloadAndLogOut(job, { first, second, address })
    return { address, userOpHash: last.userOpHash, txHash: last.txHash, block: last.block, steps }
  } finally {
    await context.close()
  }
}

async function signIn({ world, context, timed, email }: Job) {
  const first = await timed('open the wallet', async () => {
    const wallet = await openWallet(context, world.urls.wallet)
    await wallet.signIn.waitFor()
    return wallet
  })
  await timed('ask for the mail', async () => {
    await first.askForMail(email)
    await first.sent.waitFor()
  })
  const link = await timed('receive the mail', () => linkFor(world, email))
  const second = await timed('open its link in a second tab', async () => {
    const wallet = await openWallet(context, link)
    await wallet.completing.waitFor()
    return wallet
  })
  const address = await timed('second tab is signed in', async () => {
    await second.skip.click()
    return second.signedInAddress()
  })
  await timed('first tab is signed in without a click', async () => {
    demand((await first.signedInAddress()) === address, 'both tabs show the same account')
  })
  // Where the person goes on. A tab in the background gets one animation frame a second.
  await first.page.bringToFront()
  const { search } = new URL(second.page.url())
  demand(!/bundle|orgId/.test(search), 'the credential is gone from the address bar')
  return { first, second, address }
}

async function operate({ timed }: Job, wallet: WalletPage, recipient: Address): Promise<void> {
  await timed('mint 100 DEMO (deploys the account)', async () => {
    await wallet.mint.click()
    await wallet.showsBalance('100.00 DEMO')
  })
  await timed('send 5 DEMO', async () => {
    await wallet.to.fill(recipient)
    await wallet.amount.fill('5')
    await wallet.send.click()
    await wallet.showsBalance('95.00 DEMO')
  })
}

async function checkChain({ world }: Job, address: Address, recipient: Address) {
  const { demo, entryPoints, lightAccount, paymasters } = world.addresses
  const nodeUrl = world.urls.node
  const { factory } = lightAccount['v1.1.0']
  const entryPoint = entryPoints['0.6.0']
  const account = await readChain({ nodeUrl, account: address, entryPoint, factory, demo })
  demand(account.isDeployed, 'the account is deployed')
  demand(account.factoryView === address, 'the factory gives the same address')
  demand(predictLightAccountAddress({ owner: account.owner }) === address, 'the offline formula gives the same address')
  demand(account.demo === parseEther('95'), 'the account holds 95 DEMO')
  demand((await readDemo({ nodeUrl, demo, holder: recipient })) === parseEther('5'), 'the recipient holds 5 DEMO')
  demand(account.eth === 0n && account.deposit === 0n, 'the account paid nothing: it never had ether')
  demand(account.operations.length === 2, 'the entry point ran two operations')
  for (const { success, paymaster } of account.operations) {
    demand(success && paymaster === paymasters['0.6.0'], 'each operation succeeded, paid by the paymaster')
  }
  demand(account.deployedBy === account.operations[0]?.userOpHash, 'the first operation deployed the account')
  const last = account.operations[1]
  demand(last, 'the second operation is on the chain')
  return last
}

type Tabs = { first: WalletPage; second: WalletPage; address: Address }

async function reloadAndLogOut({ world, timed, email }: Job, { first, second, address }: Tabs): Promise<void> {
  await timed('reload: still signed in, no new mail', async () => {
    await first.page.reload({ waitUntil: 'commit' })
    demand((await first.signedInAddress()) === address, 'the same account shows after a reload')
    await first.showsBalance('95.00 DEMO')
    demand(world.messages({ to: email }).length === 1, 'no second mail was sent')
  })
  await timed('log out in both tabs', async () => {
    await first.logOut.click()
    await Promise.all([first.signIn.waitFor(), second.signIn.waitFor()])
  })
  for (const tab of [first, second]) demand(await holdsNoSession(tab), 'the session is gone from storage')
}

/** A person sees this in the browser's developer tools. Nothing of the credential may be left. */
async function holdsNoSession({ page }: WalletPage): Promise<boolean> {
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  return !/bundle|"?type\\*"?:\\*"?email/.test(stored)
}
