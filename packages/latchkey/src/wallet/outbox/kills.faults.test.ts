import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { createRandom } from '@latchkey/testkit/createRandom'
import { startOutboxPage } from '@latchkey/testkit/wallet/startOutboxPage'
import { launchBrowser } from 'latchkey-dev/testing'
import type { Browser, Page } from 'playwright-core'
import { type Address, createPublicClient, http, parseEther, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { entryPointAbi } from '../../accounts/entryPoint.ts'

let devnet: TestChain
let browser: Browser
let pages: Awaited<ReturnType<typeof startOutboxPage>>
beforeAll(async () => {
  ;[devnet, browser] = await Promise.all([startTestChain({ bundler: true }), launchBrowser({ light: true })])
  pages = await startOutboxPage(devnet, browser)
})
afterAll(async () => {
  await browser?.close()
  await pages?.close()
  await devnet?.close()
})

type Version = 'v1.1.0' | 'v2.0.0'
type Profile = Awaited<ReturnType<typeof pages.start>>

async function fund(page: Page): Promise<{ address: Address; entryPoint: Address }> {
  const account = await page.evaluate(() => {
    const { address, entryPoint } = window.client.smartAccount
    return { address, entryPoint: entryPoint.address }
  })
  await devnet.request('anvil_setBalance', [account.address, toHex(parseEther('1'))])
  return account
}

/** Sends an operation with this value. Resolves when sending has ended or the page was closed. */
const press = (page: Page, value: number): Promise<void> =>
  page
    .evaluate(async (wei) => {
      const target = `0x${'00'.repeat(18)}beef` as const
      await window.client.sendUserOperation({ uo: { target, data: '0x', value: BigInt(wei) } })
    }, value)
    .catch(() => {})

/**
 * Closes a page at its `gap`-th next step. The returned function waits for `work` and further steps. It returns the
 * step at which the page was closed; undefined if all steps ended first.
 */
function armKill({ run }: Profile, page: Page, gap: number): (work: Promise<unknown>) => Promise<string | undefined> {
  let isKilled = false
  const end = new Promise<void>((resolve) => {
    run.kill = () => {
      isKilled = true
      page.close().then(resolve)
    }
  })
  run.killAt = run.steps.length + gap
  return async (work) => {
    await Promise.race([end, work])
    for (let quiet = 0, seen = -1; quiet < 3 && !isKilled; quiet = run.steps.length === seen ? quiet + 1 : 0) {
      seen = run.steps.length
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    if (isKilled) await end
    const at = isKilled ? run.steps[run.killAt - 1] : undefined
    run.killAt = 0
    return at
  }
}

const listStates = (page: Page) =>
  page.evaluate(async () =>
    (await window.client.listOperations()).map(({ id, state, uo }) => ({
      id,
      state,
      value: typeof uo === 'object' && 'value' in uo ? Number(uo.value) : 0,
    })),
  )

/** Opens the wallet again, resumes its operations and returns their final states. */
async function settle(profile: Profile) {
  const page = await profile.open()
  await page.evaluate(() => window.client.resumeOperations())
  const ends = await listStates(page)
  await page.close()
  return ends
}

async function countEvents({ address, entryPoint }: { address: Address; entryPoint: Address }): Promise<number> {
  const reader = createPublicClient({ transport: http(devnet.nodeUrl) })
  const filter = { abi: entryPointAbi, eventName: 'UserOperationEvent', fromBlock: 0n } as const
  return (await reader.getContractEvents({ ...filter, address: entryPoint, args: { sender: address } })).length
}

/** Kills a page while it sends. Returns the step at which it was killed, or undefined if all steps were completed. */
async function killOnce(version: Version, gap: number): Promise<string | undefined> {
  const profile = await pages.start(version)
  const page = await profile.open()
  const account = await fund(page)
  const wait = armKill(profile, page, gap)
  const at = await wait(press(page, 1))
  const states = (await settle(profile)).map(({ state }) => state)
  const where = `gap ${gap}: ${at}`
  // A page killed before it stores the record leaves no record.
  const wanted = at === 'before the record' ? [] : [expect.stringMatching(/^(included|notSent)$/)]
  expect(states, where).toEqual(wanted)
  expect(await countEvents(account), where).toBe(states.filter((state) => state === 'included').length)
  await profile.close()
  return at
}

const batch = 5

test.each(['v1.1.0', 'v2.0.0'] as const)(
  'includes or drops each operation exactly once when the page is killed at any step (%s)',
  async (version) => {
    const met: (string | undefined)[] = []
    while (met.length < 100 && !(met.length > 0 && met.includes(undefined))) {
      const gaps = Array.from({ length: batch }, (_, index) => met.length + index + 1)
      met.push(...(await Promise.all(gaps.map((gap) => killOnce(version, gap)))))
    }
    for (const kind of ['the record', 'a change', 'eth_sendUserOperation'])
      for (const side of ['before', 'after']) expect(met).toContain(`${side} ${kind}`)
  },
  400_000,
)

const seeds = Number(process.env.LATCHKEY_KILLS ?? 10)

test(
  `settles ${seeds} random sends from one or two tabs that are killed at random`,
  async () => {
    const first = Number(process.env.LATCHKEY_SEED)
    for (let seed = first; seed < first + seeds; seed++) await killAtRandom(seed)
  },
  120_000 + seeds * 60_000,
)

async function killAtRandom(seed: number): Promise<void> {
  const random = createRandom(seed)
  const version: Version = random(2) ? 'v1.1.0' : 'v2.0.0'
  const profile = await pages.start(version)
  const page = await profile.open()
  const account = await fund(page)
  const other = random(2) ? await profile.open() : page
  const wishes = 1 + random(3)
  const wait = armKill(profile, page, 1 + random(30 * wishes))
  const presses = Array.from({ length: wishes }, (_, index) => press(random(2) ? page : other, index + 1))
  const kills = [await wait(Promise.all(presses))]
  if (other !== page) await other.close()
  if (random(2)) {
    // Kills the page again while it resumes operations.
    const next = await profile.open()
    const waitAgain = armKill(profile, next, 1 + random(15))
    kills.push(await waitAgain(next.evaluate(() => window.client.resumeOperations()).catch(() => {})))
    await next.close()
  }
  const ends = await settle(profile)
  const what = `seed ${seed}, ${version}, killed at ${kills.join(', then ')}: ${JSON.stringify(ends)}`
  const values = ends.map(({ value }) => value)
  expect(new Set(values).size, what).toBe(values.length)
  for (const { state } of ends) expect(state, what).toMatch(/^(included|notSent|failed|refused)$/)
  expect(await countEvents(account), what).toBe(ends.filter(({ state }) => state === 'included').length)
  await profile.close()
}
