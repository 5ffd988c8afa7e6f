import { randomBytes } from 'node:crypto'
import { predictLightAccountAddress } from 'latchkey/accounts'
import type { World } from 'latchkey-dev'
import { addAuthenticator } from 'latchkey-dev/testing'
import type { BrowserContext } from 'playwright-core'
import { type Address, getAddress, type Hex, parseEther, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { demand } from './demand.ts'
import { exportedSecret } from './exportedSecret.ts'
import type { runMainJob } from './mainJob.ts'
import { readChain, readDemo } from './readChain.ts'
import { linkFor, newEmail } from './signUp.ts'
import { spendAsOwner } from './spendAsOwner.ts'
import { type Timed, timedSteps } from './timedSteps.ts'
import { openWallet, type WalletPage } from './WalletPage.ts'

export declare namespace runFullJob {
  type Parameters = runMainJob.Parameters
  type ReturnType = runMainJob.ReturnType
}

type Job = { world: World; context: BrowserContext; timed: Timed; recipient: Address }

/**
 * A whole life with the wallet: sign up by e-mail, add a passkey, send, log out, sign in by the passkey, send, export,
 * log out; at the end the exported key moves tokens with viem alone. Throws when anything differs from what it should
 * be.
 */
export async function runFullJob(parameters: runFullJob.Parameters): Promise<runFullJob.ReturnType> {
  const { world, browser, onStep } = parameters
  const { steps, timed } = timedSteps(onStep)
  const context = await browser.newContext()
  context.setDefaultTimeout(20_000)
  try {
    const job: Job = { world, context, timed, recipient: getAddress(toHex(randomBytes(20))) }
    const { wallet, address } = await signUpWithPasskey(job)
    await operate(job, wallet)
    await timed('log out', () => logOut(wallet))
    await timed('sign in by the passkey', async () => {
      await wallet.askForPasskey()
      demand((await wallet.signedInAddress()) === address, 'the passkey opens the same account')
    })
    await timed('send 5 DEMO, signed by the passkey', () => send(job, wallet, '90.00 DEMO'))
    const key = await timed('export the private key', async () => {
      await wallet.exportWallet.click()
      return (await exportedSecret(wallet.page)) as Hex
    })
    await timed('log out again', () => logOut(wallet))
    demand((await wallet.page.locator('iframe#turnkey-export-iframe').count()) === 0, 'the frame is gone')
    const last = await timed('check the chain with a client of its own', () => checkChain(job, address, key))
    await timed('move 1 DEMO by the exported key alone', () => spend(job, address, key))
    return { address, userOpHash: last.userOpHash, txHash: last.txHash, block: last.block, steps }
  } finally {
    await context.close()
  }
}

async function signUpWithPasskey({ world, context, timed }: Job) {
  const email = newEmail()
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
  const wallet = await timed('open its link: a passkey is offered', async () => {
    const second = await openWallet(context, link, addAuthenticator)
    await second.offer.waitFor()
    return second
  })
  const address = await timed('add a passkey', async () => {
    await wallet.addOffered.click()
    await wallet.offer.waitFor({ state: 'hidden' })
    return wallet.signedInAddress()
  })
  await first.page.close()
  return { wallet, address }
}

async function operate(job: Job, wallet: WalletPage): Promise<void> {
  await job.timed('mint 100 DEMO (deploys the account)', async () => {
    await wallet.mint.click()
    await wallet.showsBalance('100.00 DEMO')
  })
  await job.timed('send 5 DEMO, signed by the e-mail session', () => send(job, wallet, '95.00 DEMO'))
}

async function send({ recipient }: Job, wallet: WalletPage, balance: string): Promise<void> {
  await wallet.to.fill(recipient)
  await wallet.amount.fill('5')
  await wallet.send.click()
  await wallet.showsBalance(balance)
}

async function logOut(wallet: WalletPage): Promise<void> {
  await wallet.logOut.click()
  await wallet.signIn.waitFor()
  const stored = await wallet.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  demand(!/bundle|credentialId|"?type\\*"?:\\*"?(email|passkey)/.test(stored), 'the session is gone from storage')
}

async function checkChain({ world, recipient }: Job, address: Address, key: Hex) {
  const { demo, entryPoints, lightAccount, paymasters } = world.addresses
  const nodeUrl = world.urls.node
  const { factory } = lightAccount['v1.1.0']
  const account = await readChain({ nodeUrl, account: address, entryPoint: entryPoints['0.6.0'], factory, demo })
  const { address: owner } = privateKeyToAccount(key)
  demand(account.owner === owner, "the exported key is the owner's")
  demand(predictLightAccountAddress({ owner }) === address, 'the offline formula gives the same address')
  demand(account.demo === parseEther('90'), 'the account holds 90 DEMO')
  demand((await readDemo({ nodeUrl, demo, holder: recipient })) === parseEther('10'), 'the recipient holds 10 DEMO')
  demand(account.eth === 0n && account.deposit === 0n, 'the account paid nothing: it never had ether')
  demand(account.operations.length === 3, 'the entry point ran three operations')
  for (const { success, paymaster } of account.operations) {
    demand(success && paymaster === paymasters['0.6.0'], 'each operation succeeded, paid by the paymaster')
  }
  const last = account.operations[2]
  demand(last, 'the last operation is on the chain')
  return last
}

async function spend({ world, recipient }: Job, account: Address, key: Hex): Promise<void> {
  const { demo } = world.addresses
  const nodeUrl = world.urls.node
  const owner = privateKeyToAccount(key)
  await spendAsOwner({ nodeUrl, owner, account, demo, to: recipient, amount: parseEther('1') })
  demand((await readDemo({ nodeUrl, demo, holder: recipient })) === parseEther('11'), 'the recipient holds 11 DEMO')
}
