import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import type { Listening } from '@latchkey/testkit/signer/listen'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { addAuthenticator, readSignInMail } from 'latchkey-dev/testing'
import type { BrowserContext, Page } from 'playwright-core'
import { createPublicClient, encodeFunctionData, type Hex, http, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import type { Given } from './hooksPage.ts'
import { serveAtWallet } from './serveAtWallet.ts'
import { newEmail } from './signUp.ts'

// Runs all hooks on one page per React version, on a devnet. React 18 runs with the oldest supported TanStack Query.

const stage = setStage()

const root = fileURLToPath(new URL('..', import.meta.url))
const reacts = join(root, 'compat/react18/node_modules')
const entry = "import '/e2e/hooksPage.ts'"
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address) view returns (uint256)',
])
const holder = '0x00000000000000000000000000000000DeaDBeef'

let pages: Record<'19' | '18', Listening>

beforeAll(async () => {
  const names = ['react', 'react-dom', '@tanstack/react-query']
  const alias = Object.fromEntries(names.map((name) => [name, join(reacts, name)]))
  const [now, before] = [await serveEntry(root, entry), await serveEntry(root, entry, { alias })]
  pages = { 19: now, 18: before }
})
afterAll(async () => {
  await Promise.all([pages?.[19].close(), pages?.[18].close()])
})

async function open(context: BrowserContext, react: keyof typeof pages = '19') {
  await serveAtWallet(context, stage.devnet, pages[react].url)
  const tab = await context.newPage()
  const { urls, addresses, apiKey, policyId, chainId } = stage.devnet
  const given: Given = {
    nodeUrl: urls.node,
    gatewayUrl: urls.gateway,
    signerApiUrl: urls.signerApi,
    apiKey,
    policyId,
    chainId,
    paymasters: addresses.paymasters,
    demo: addresses.demo,
    mint: encodeFunctionData({ abi, functionName: 'mint', args: [holder, 5n] }),
  }
  const errors: string[] = []
  tab.on('pageerror', ({ message }) => errors.push(message))
  await tab.addInitScript((value) => {
    window.given = value
  }, given)
  await tab.goto(urls.wallet)
  await tab.waitForFunction(() => window.hooks?.simulation !== undefined)
  return { tab, errors }
}

const status = (tab: Page, wanted: string) => tab.waitForFunction((name) => window.hooks.status.status === name, wanted)

async function giveCode(tab: Page, email: string, skip = 0) {
  const { code = '' } = await readSignInMail(stage.devnet, email, { skip })
  await tab.evaluate(
    async (digits) => void (await window.hooks.authenticate.authenticateAsync({ type: 'email', code: digits })),
    code,
  )
}

async function signIn(tab: Page, email: string, skip = 0) {
  await status(tab, 'DISCONNECTED')
  await tab.evaluate((address) => window.hooks.authenticate.authenticate({ type: 'email', email: address }), email)
  await status(tab, 'AWAITING_EMAIL_AUTH')
  expect(await tab.evaluate(() => window.hooks.status.isAuthenticating)).toBe(true)
  await giveCode(tab, email, skip)
  await status(tab, 'CONNECTED')
  await tab.waitForFunction(() => window.hooks.client.client && window.hooks.multi.client)
}

const reader = () => createPublicClient({ transport: http(stage.devnet.urls.node) })
const succeeded = async (hash: Hex) =>
  expect((await waitForTransaction(reader(), hash)).status, `transaction ${hash}`).toBe('success')

test('signs in, creates accounts, sends, signs and switches chains', async () => {
  const context = await stage.newContext()
  const { tab, errors } = await open(context)
  const email = newEmail('hooks')
  await status(tab, 'DISCONNECTED')
  expect(await tab.evaluate(() => [window.hooks.user, window.hooks.client.client, window.hooks.deletion])).toEqual([
    null,
    undefined,
    null,
  ])
  await tab.evaluate(() => window.hooks.modal.openAuthModal())
  await tab.getByRole('dialog', { name: 'Sign in' }).waitFor()
  await tab.evaluate(() => window.hooks.modal.closeAuthModal())
  await expect.poll(() => tab.evaluate(() => window.hooks.modal.isOpen)).toBe(false)

  await signIn(tab, email)
  expect(await tab.evaluate(() => window.hooks.user?.email)).toBe(email)
  expect(await tab.evaluate(() => window.hooks.signer?.status)).toBe('CONNECTED')
  expect(await tab.evaluate(() => window.hooks.bundler.getChainId())).toBe(stage.devnet.chainId)

  // `skipCreate` must create nothing, and an unsupported type must fail instead of waiting forever.
  const read = () =>
    tab.evaluate(() => {
      const { account, skipped, unsupported } = window.hooks
      return {
        isReady: account.account?.address === account.address,
        skipped: [skipped.account, skipped.address, skipped.isLoadingAccount, skipped.error],
        unsupported: [String(unsupported.error?.message.split('\n')[0]), unsupported.isLoadingAccount],
      }
    })
  await expect.poll(read).toEqual({
    isReady: true,
    skipped: [undefined, undefined, false, null],
    unsupported: ['Unsupported account type', false],
  })

  // Sends with and without waiting, one call and several, also from the multi-owner light account.
  const uo = {
    target: stage.devnet.addresses.demo,
    data: encodeFunctionData({ abi, functionName: 'mint', args: [holder, 1n] }),
  }
  const sent = await tab.evaluate(async (uo) => (await window.hooks.send.sendUserOperationAsync({ uo })).hash, uo)
  await tab.evaluate((hash) => window.hooks.wait.waitForUserOperationTransaction({ hash }), sent)
  await tab.waitForFunction(() => window.hooks.wait.waitForUserOperationTransactionResult)
  const included = await tab.evaluate(() => window.hooks.wait.waitForUserOperationTransactionResult)
  expect(included).not.toBe(sent)
  await succeeded(included as Hex)
  const hashes = await tab.evaluate(async ({ target, data }) => {
    const { sendAndWait, sendMulti, transaction, transactions } = window.hooks
    const uo = { target, data }
    return [
      (await sendAndWait.sendUserOperationAsync({ uo })).hash,
      (await sendMulti.sendUserOperationAsync({ uo: [uo, uo] })).hash,
      await transaction.sendTransactionAsync({ to: target, data }),
      await transactions.sendTransactionsAsync({
        requests: [
          { to: target, data },
          { to: target, data },
        ],
      }),
    ]
  }, uo)
  for (const hash of hashes) await succeeded(hash)
  await tab.evaluate((uo) => window.hooks.calls.sendCalls({ calls: [{ to: uo.target, data: uo.data }] }), uo)
  await tab.waitForFunction(() => window.hooks.calls.callsStatus?.status === 200)
  await succeeded((await tab.evaluate(() => window.hooks.calls.callsStatus?.transactionHash)) as Hex)
  const balance = await reader().readContract({ address: uo.target, abi, functionName: 'balanceOf', args: [holder] })
  expect(balance).toBe(8n)
  // The outbox stores sent operations with their outcome until they are dismissed.
  const kept = () => tab.evaluate(() => window.hooks.operations.operations?.map(({ state }) => state))
  await expect.poll(kept).toEqual(Array.from({ length: 5 }, () => 'included'))
  const one = () =>
    tab.evaluate(() => {
      const { operation, operations } = window.hooks
      return [operation.operation?.state, operation.operation?.id === operations.operations?.[0]?.id, operation.error]
    })
  await expect.poll(one).toEqual(['included', true, null])
  await tab.evaluate(() => {
    const { operations } = window.hooks.operations
    window.hooks.operations.dismissOperation(String(operations?.[0]?.id))
  })
  await expect.poll(async () => (await kept())?.length).toBe(4)
  expect(await tab.evaluate(() => window.hooks.operations.error)).toBe(null)
  // Replacing an included operation must fail.
  await tab.evaluate(async (uo) => {
    const { request } = await window.hooks.sendAndWait.sendUserOperationAsync({ uo })
    window.hooks.replace.dropAndReplaceUserOperation({ uoToDrop: request })
  }, uo)
  await tab.waitForFunction(() => window.hooks.replace.error)
  await tab.waitForFunction(() => window.hooks.simulation.changes?.some(({ rawAmount }) => rawAmount === '5'))

  // Verifies the signatures on the chain.
  const address = (await tab.evaluate(() => window.hooks.client.address)) as Hex
  const signature = await tab.evaluate(() => window.hooks.message.signMessageAsync({ message: 'tea' }))
  expect(await reader().verifyMessage({ address, message: 'tea', signature })).toBe(true)
  const typedData = {
    types: { Order: [{ name: 'item', type: 'string' }] },
    primaryType: 'Order',
    message: { item: 'tea' },
  } as const
  const signed = await tab.evaluate((typedData) => window.hooks.typedData.signTypedDataAsync({ typedData }), typedData)
  expect(await reader().verifyTypedData({ ...typedData, address, signature: signed })).toBe(true)
  const owners = await tab.evaluate(() =>
    window.hooks.actions.executeActionAsync({ functionName: 'readOwners', args: [] }),
  )
  expect(owners).toEqual([await tab.evaluate(() => window.hooks.user?.address)])

  // Each chain must have its own accounts. A chain without a connection must fail.
  const chainOf = () => tab.evaluate(() => [window.hooks.chain.chain.id, window.hooks.client.client?.chain.id])
  await tab.evaluate(() => window.hooks.chain.setChain({ chain: window.chains[1] }))
  await expect.poll(chainOf).toEqual([stage.devnet.chainId + 1, stage.devnet.chainId + 1])
  const unknown = tab.evaluate(
    () =>
      new Promise((resolve) => {
        const onError = ({ message }: Error) => resolve(message.split('\n')[0])
        window.hooks.chain.setChain({ chain: window.chains[2] }, { onError })
      }),
  )
  expect(await unknown).toBe('Chain not found in connections')
  await tab.evaluate(() => window.hooks.chain.setChain({ chain: window.chains[0] }))
  await expect.poll(chainOf).toEqual([stage.devnet.chainId, stage.devnet.chainId])

  // An idle page may render only the session's countdown.
  const count = (): Promise<Record<string, number>> => tab.evaluate(() => ({ ...window.renders, session: 0 }))
  let before = await count()
  // On a slow machine, earlier steps may still cause renders.
  const isAtRest = async () => {
    const earlier = before
    await tab.waitForTimeout(2500)
    before = await count()
    return isDeepStrictEqual(before, earlier)
  }
  await expect.poll(isAtRest).toBe(true)
  // Upper bounds. Strict mode renders each component twice.
  const bound = { user: 8, chain: 12, modal: 12, status: 20, client: 30 }
  for (const [name, most] of Object.entries(bound)) expect(before[name], name).toBeLessThanOrEqual(most)

  expect(errors).toEqual([])
})

test('manages sign-in methods and sessions over two tabs and two browsers', async () => {
  const context = await stage.newContext()
  const { tab } = await open(context)
  await addAuthenticator(tab)
  const email = newEmail('ways')
  await signIn(tab, email)

  // Removing a passkey waits for the user's confirmation by e-mail.
  await tab.waitForFunction(() => window.hooks.ways.passkeys?.length === 0)
  await tab.evaluate(() => window.hooks.ways.addPasskey({ name: 'My laptop' }))
  await tab.waitForFunction(() => window.hooks.ways.passkeys?.[0]?.name === 'My laptop')
  expect(await tab.evaluate(() => window.hooks.ways.sessions?.map(({ isCurrent }) => isCurrent))).toEqual([true])
  await tab.evaluate(() => window.hooks.ways.removePasskey(String(window.hooks.ways.passkeys?.[0]?.id)))
  await tab.waitForFunction(() => window.hooks.confirmation !== null)
  expect(await tab.evaluate(() => window.hooks.ways.changing)).toBe('removePasskey')
  await stage.confirm(email)
  await tab.waitForFunction(() => window.hooks.ways.passkeys?.length === 0)
  expect(await tab.evaluate(() => window.hooks.ways.error)).toBe(null)

  const other = (await open(context)).tab
  await status(other, 'CONNECTED')

  // An e-mail to the same address extends the session.
  const end = (await tab.evaluate(() => window.hooks.session.expiresAt)) ?? 0
  expect(await tab.evaluate(() => (window.hooks.session.secondsLeft ?? 0) > 0)).toBe(true)
  await tab.evaluate(() => window.hooks.session.extendSession())
  await status(tab, 'AWAITING_EMAIL_AUTH')
  await giveCode(tab, email, 1)
  await tab.waitForFunction((last) => (window.hooks.session.expiresAt ?? 0) > last, end)

  // The first browser must detect an ended session when it gets the focus.
  const elsewhere = await stage.newContext()
  const far = (await open(elsewhere)).tab
  await signIn(far, email, 2)
  await far.waitForFunction(() => (window.hooks.ways.sessions?.length ?? 0) > 1)
  await far.evaluate(() => window.hooks.ways.endSessions())
  await far.waitForFunction(() => window.hooks.ways.sessions?.length === 1)
  expect(await tab.evaluate(() => window.hooks.status.status)).toBe('CONNECTED')
  const comeBack = () =>
    tab.evaluate(() => {
      window.dispatchEvent(new Event('focus'))
      return window.hooks.status.status
    })
  // Repeats the focus, because a page checks at most once in ten seconds.
  await expect.poll(comeBack, { interval: 1000 }).toBe('DISCONNECTED')
  await status(other, 'DISCONNECTED')

  // The published passkey hook is available, too. Like all such changes, it needs a confirmation.
  await addAuthenticator(far)
  await far.evaluate(() => window.hooks.passkey.addPasskey())
  await far.waitForFunction(() => window.hooks.confirmation !== null)
  await stage.confirm(email, 1)
  const countPasskeys = () => far.evaluate(async () => (await window.hooks.signer?.listAuthenticators())?.length)
  await expect.poll(countPasskeys).toBe(1)
  const adding = () => far.evaluate(() => [window.hooks.passkey.isAddingPasskey, window.hooks.passkey.error])
  await expect.poll(adding).toEqual([false, null])

  await far.evaluate(() => window.hooks.ways.signOutEverywhere())
  await status(far, 'DISCONNECTED')
})

test('runs on React 18', async () => {
  const context = await stage.newContext()
  const { tab, errors } = await open(context, '18')
  expect(await tab.evaluate(() => window.reactVersion)).toMatch(/^18\./)
  const email = newEmail('eighteen')
  await signIn(tab, email)
  const uo = { target: stage.devnet.addresses.demo, data: '0x' } as const
  const target = await tab.evaluate(() => window.hooks.client.address)
  const hash = await tab.evaluate(async (uo) => (await window.hooks.sendAndWait.sendUserOperationAsync({ uo })).hash, {
    ...uo,
    target: target as Hex,
  })
  await succeeded(hash)
  await tab.evaluate(() => window.hooks.logout.logout())
  await status(tab, 'DISCONNECTED')
  expect(await tab.evaluate(() => [window.hooks.user, window.hooks.client.client])).toEqual([null, undefined])
  expect(errors).toEqual([])
})
