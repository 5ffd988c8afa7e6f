import { randomBytes } from 'node:crypto'
import { predictLightAccountAddress } from 'latchkey/accounts'
import type { Devnet } from 'latchkey-dev'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Address, getAddress, type Hex, parseEther, toHex } from 'viem'
import { demand } from './demand.ts'
import { readChain, readDemo } from './readChain.ts'
import { linkFor, newEmail } from './signUp.ts'
import { type Step, type Timed, timedSteps } from './timedSteps.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

export declare namespace runJob {
  type Parameters = {
    devnet: Devnet
    browser: Pick<Browser, 'newContext'>
    onStep?: ((step: Step) => void) | undefined
  }
  type ReturnType = Outcome & { steps: Step[] }
}

/** Account of the job and its last operation. */
export type Outcome = { address: Address; userOpHash: Hex; txHash: Hex; block: bigint }

export type Job = { devnet: Devnet; context: BrowserContext; timed: Timed; email: string; recipient: Address }

export async function runJob(
  { devnet, browser, onStep }: runJob.Parameters,
  work: (job: Job) => Promise<Outcome>,
): Promise<runJob.ReturnType> {
  const { steps, timed } = timedSteps(onStep)
  const context = await browser.newContext()
  context.setDefaultTimeout(60_000)
  try {
    const recipient = getAddress(toHex(randomBytes(20)))
    return { ...(await work({ devnet, context, timed, email: newEmail(), recipient })), steps }
  } finally {
    await context.close()
  }
}

export async function followLink(
  { devnet, context, timed, email }: Job,
  {
    name,
    until,
    prepare,
  }: { name: string; until: 'completing' | 'offer' | 'taken'; prepare?: (page: Page) => Promise<unknown> },
): Promise<{ first: WalletPage; second: WalletPage }> {
  const first = await timed('open the wallet', async () => {
    const wallet = await openWallet(context, devnet.urls.wallet)
    await wallet.signIn.waitFor()
    return wallet
  })
  await timed('ask for the mail', async () => {
    await first.askForMail(email)
    await first.sent.waitFor()
  })
  const link = await timed('receive the mail', () => linkFor(devnet, email))
  const second = await timed(name, async () => {
    const wallet = await openWallet(context, link, prepare)
    await wallet[until].waitFor()
    return wallet
  })
  return { first, second }
}

export async function mint({ timed }: Job, wallet: WalletPage): Promise<void> {
  await timed('mint 100 DEMO (deploys the account)', async () => {
    await wallet.mint.click()
    await wallet.showsBalance('100.00 DEMO')
  })
}

export async function send(job: Job, wallet: WalletPage, { name, balance }: { name: string; balance: string }) {
  await job.timed(name, async () => {
    await wallet.to.fill(job.recipient)
    await wallet.amount.fill('5')
    await wallet.send.click()
    await wallet.showsBalance(balance)
  })
}

/** Reads the results from the chain with a separate client. Pass `owner` after an export. */
export async function checkChain(
  { devnet, timed, recipient }: Job,
  expected: { address: Address; sends: number; owner?: Address },
): Promise<Outcome> {
  const { address, sends, owner } = expected
  const { demo, entryPoints, lightAccount, paymasters } = devnet.addresses
  const nodeUrl = devnet.urls.node
  const { factory } = lightAccount['v1.1.0']
  return timed('check the chain with a client of its own', async () => {
    const account = await readChain({ nodeUrl, account: address, entryPoint: entryPoints['0.6.0'], factory, demo })
    demand(account.isDeployed, 'the account is deployed')
    demand(account.factoryView === address, 'the factory gives the same address')
    demand(
      predictLightAccountAddress({ owner: account.owner }) === address,
      'the offline formula gives the same address',
    )
    demand(owner === undefined || account.owner === owner, "the exported key is the owner's")
    demand(account.demo === parseEther(String(100 - 5 * sends)), 'the account holds what it has not sent')
    const received = await readDemo({ nodeUrl, demo, holder: recipient })
    demand(received === parseEther(String(5 * sends)), 'the recipient holds what was sent')
    demand(account.eth === 0n && account.deposit === 0n, 'the account paid nothing: it never had ether')
    demand(account.operations.length === 1 + sends, 'the entry point ran one operation for each press')
    for (const { success, paymaster } of account.operations) {
      demand(success && paymaster === paymasters['0.6.0'], 'each operation succeeded, paid by the paymaster')
    }
    demand(account.deployedBy === account.operations[0]?.userOpHash, 'the first operation deployed the account')
    const last = account.operations.at(-1)
    demand(last, 'the last operation is on the chain')
    const { userOpHash, txHash, block } = last
    return { address, userOpHash, txHash, block }
  })
}

export async function logOut(tab: WalletPage, others: readonly WalletPage[] = []): Promise<void> {
  const tabs = [tab, ...others]
  await tab.logOut.click()
  await Promise.all(tabs.map(({ signIn }) => signIn.waitFor()))
  for (const each of tabs) demand(await holdsNoSession(each), 'the session is gone from storage')
}

async function holdsNoSession({ page }: WalletPage): Promise<boolean> {
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  return !/bundle|credentialId|"?type\\*"?:\\*"?(email|passkey)/.test(stored)
}
