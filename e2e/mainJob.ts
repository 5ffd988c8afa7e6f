import type { Address } from 'viem'
import { demand } from './demand.ts'
import { checkChain, followLink, type Job, logOut, mint, runJob, send } from './jobSteps.ts'
import type { WalletPage } from './WalletPage.ts'

export declare namespace runMainJob {
  type Parameters = runJob.Parameters & {
    /**
     * `none`: the browser stores nothing for the frames, so the link must be opened in the tab that requested the
     * e-mail.
     * @default 'kept'
     */
    storage?: 'kept' | 'none' | undefined
  }
  type ReturnType = runJob.ReturnType
}

/**
 * Signs in by e-mail, sends sponsored operations, reloads and signs out like a user. Throws if a result is unexpected.
 */
export function runMainJob(parameters: runMainJob.Parameters): Promise<runMainJob.ReturnType> {
  return runJob(parameters, async (job) => {
    const { first, second, address } = await (parameters.storage === 'none' ? handOver(job) : signIn(job))
    await mint(job, first)
    await send(job, first, { name: 'send 5 DEMO', balance: '95.00 DEMO' })
    const outcome = await checkChain(job, { address, sends: 1 })
    await reload(job, first, address)
    await job.timed('log out in both tabs', () => logOut(first, [second]))
    return outcome
  })
}

async function signIn(job: Job) {
  const { first, second } = await followLink(job, { name: 'open its link in a second tab', until: 'completing' })
  const address = await job.timed('second tab is signed in', async () => {
    await second.skip.click()
    return second.signedInAddress()
  })
  await job.timed('first tab is signed in without a click', async () => {
    demand((await first.signedInAddress()) === address, 'both tabs show the same account')
  })
  // Background tabs render only once a second.
  await first.page.bringToFront()
  const { search } = new URL(second.page.url())
  demand(!/bundle|orgId/.test(search), 'the credential is gone from the address bar')
  return { first, second, address }
}

async function handOver(job: Job) {
  const { first, second } = await followLink(job, { name: 'open its link: the first tab signs in', until: 'taken' })
  demand(!/bundle|orgId/.test(new URL(second.page.url()).search), 'the credential is gone from the address bar')
  await second.goOnHere.click()
  const address = await job.timed('second tab is signed in, too', () => second.signedInAddress())
  await job.timed('first tab shows the same account', async () => {
    await first.page.bringToFront()
    await first.skip.click()
    demand((await first.signedInAddress()) === address, 'both tabs show the same account')
  })
  return { first, second, address }
}

async function reload({ devnet, timed, email }: Job, wallet: WalletPage, address: Address): Promise<void> {
  await timed('reload: still signed in, no new mail', async () => {
    await wallet.page.reload({ waitUntil: 'commit' })
    demand((await wallet.signedInAddress()) === address, 'the same account shows after a reload')
    await wallet.showsBalance('95.00 DEMO')
    demand(devnet.messages({ to: email }).length === 1, 'no second mail was sent')
  })
}
