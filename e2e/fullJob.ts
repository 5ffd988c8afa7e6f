import { addAuthenticator, readExportByMail } from 'latchkey-dev/testing'
import { type Address, type Hex, parseEther } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { demand } from './demand.ts'
import { checkChain, followLink, type Job, logOut, mint, runJob, send } from './jobSteps.ts'
import { readDemo } from './readChain.ts'
import { spendAsOwner } from './spendAsOwner.ts'

export declare namespace runFullJob {
  type Parameters = runJob.Parameters
  type ReturnType = runJob.ReturnType
}

/**
 * Signs up by e-mail, adds a passkey, sends with both, exports after a confirmation by e-mail, and spends with the
 * exported key alone. Throws if a result is unexpected.
 */
export function runFullJob(parameters: runFullJob.Parameters): Promise<runFullJob.ReturnType> {
  const { browser } = parameters
  return runJob(parameters, async (job) => {
    const { timed } = job
    const { wallet, address } = await signUpWithPasskey(job)
    await mint(job, wallet)
    await send(job, wallet, { name: 'send 5 DEMO, signed by the email session', balance: '95.00 DEMO' })
    await timed('log out', () => logOut(wallet))
    await timed('sign in by the passkey', async () => {
      await wallet.askForPasskey()
      demand((await wallet.signedInAddress()) === address, 'the passkey opens the same account')
    })
    await send(job, wallet, { name: 'send 5 DEMO, signed by the passkey', balance: '90.00 DEMO' })
    await timed('ask for the export: a mail asks back', async () => {
      await wallet.exportWallet.click()
      await wallet.confirmation.waitFor()
    })
    const owner = await timed('confirm it and read the private key on the page of the mail', async () => {
      return privateKeyToAccount((await readExportByMail(job.devnet, job.email, { browser })) as Hex)
    })
    await wallet.page.getByText('Your private key was shown on the page from your email.').waitFor()
    await timed('log out again', () => logOut(wallet))
    const outcome = await checkChain(job, { address, sends: 2, owner: owner.address })
    await timed('move 1 DEMO by the exported key alone', () => spend(job, address, owner))
    return outcome
  })
}

async function signUpWithPasskey(job: Job) {
  const { first, second: wallet } = await followLink(job, {
    name: 'open its link: a passkey is offered',
    until: 'offer',
    prepare: addAuthenticator,
  })
  const address = await job.timed('add a passkey', async () => {
    await wallet.addOffered.click()
    await wallet.offer.waitFor({ state: 'hidden' })
    return wallet.signedInAddress()
  })
  await first.page.close()
  return { wallet, address }
}

async function spend({ devnet, recipient }: Job, account: Address, owner: PrivateKeyAccount): Promise<void> {
  const { demo } = devnet.addresses
  const nodeUrl = devnet.urls.node
  await spendAsOwner({ nodeUrl, owner, account, demo, to: recipient, amount: parseEther('1') })
  demand((await readDemo({ nodeUrl, demo, holder: recipient })) === parseEther('11'), 'the recipient holds 11 DEMO')
}
