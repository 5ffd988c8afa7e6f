import { startWebhookReceiver } from '@latchkey/testkit/webhookReceiver'
import { adminPath, consoleHeader } from 'latchkey/wire'
import type { BrowserContext, Page } from 'playwright-core'
import { type Address, createTestClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { lookAt } from './lookAt.ts'
import { card, openConsole } from './openConsole.ts'
import { signUp } from './signUp.ts'

// The console of the dev world, over operations that a person of the wallet sends. It counts every operation and webhook,
// so it has a world of its own.

const receiver = await startWebhookReceiver()
const stage = setStage({ webhookUrl: receiver.url })
const places = [
  '',
  'inbox',
  'users',
  'operations',
  'sponsorship',
  'projects',
  'keys',
  'webhooks',
  'mails',
  'security',
  'health',
  'operators',
  'log',
  'world',
]
let address: Address
let context: BrowserContext
/** What pages of the console asked their server for: method and path. */
const asked = new Set<string>()

afterAll(() => receiver.close())
beforeAll(async () => {
  context = await stage.newSharedContext()
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin === stage.world.urls.console) asked.add(`${request.method().toLowerCase()} ${url.pathname}`)
  })
  const person = await signUp({ world: stage.world, context })
  address = person.address
  for (let count = 0; count < 2; count++) {
    await person.wallet.mint.click()
    await person.wallet.page.getByText('Minted 100 DEMO').last().waitFor()
  }
})

const open = (path = '') => openConsole(context, stage.world.urls.console, path)

test('default: operations of the wallet are there, one by one too, and new ones come by themselves', async () => {
  const page = await open('operations')
  const rows = card(page, 'All operations').getByRole('row')
  // The names of the columns, then one for each.
  await expect.poll(() => rows.count()).toBe(3)
  await card(page, 'All operations').getByText('live', { exact: true }).waitFor()
  await rows.nth(1).getByText('included', { exact: true }).waitFor()

  const [wallet] = context.pages()
  await wallet?.getByRole('button', { name: 'Mint 100 DEMO' }).click()
  await expect.poll(() => rows.count()).toBe(4)

  await rows.nth(1).getByRole('link').first().click()
  await expect.poll(() => page.url()).toMatch(/\/operations\/0x[0-9a-f]{64}$/)
  // What it asks the token for, decoded.
  await card(page, 'Calls').getByText('mint(address,uint256)', { exact: true }).waitFor()
  // And what it got, by its receipt.
  await card(page, 'What tokens moved').getByText('Transfer of 100000000000000000000 units (ERC-20)').waitFor()
  await lookAt(page, 'operation')
  const details = card(page, 'Details')
  await details.getByText(address).waitFor()
  await card(page, 'Its way').getByText('included', { exact: true }).first().waitFor()
  await page.close()
})

test('behavior: what was sent after the list was read and before its stream was open is there, too', async () => {
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const events = '**/operations/events'
  await context.route(events, async (route) => {
    await held
    await route.continue()
  })
  const page = await open('operations')
  const rows = card(page, 'All operations').getByRole('row')
  await expect.poll(() => rows.count()).toBeGreaterThan(1)
  const before = await rows.count()
  const [wallet] = context.pages()
  await wallet?.getByRole('button', { name: 'Mint 100 DEMO' }).click()
  const countOnServer = () =>
    page.evaluate(
      async ([path = '', header = '']) =>
        (await (await fetch(path, { headers: { [header]: '1' } })).json()).items.length,
      [`${adminPath}/operations`, consoleHeader],
    )
  // Rows have a head.
  await expect.poll(countOnServer).toBe(before)
  expect(await rows.count()).toBe(before)
  letGo()
  await expect.poll(() => rows.count()).toBe(before + 1)
  await context.unroute(events)
  await page.close()
})

test('behavior: a policy is paused, tested and edited; who read it before the change is told', async () => {
  const [page, other] = [await open('sponsorship'), await open('sponsorship')]
  const made = (view: Page) => card(view, 'games')
  await card(page, 'New policy').getByRole('textbox', { name: 'Name' }).fill('games')
  await card(page, 'New policy').getByRole('button', { name: 'Make it' }).click()
  await made(page).getByText('paused', { exact: true }).waitFor()
  await other.reload()
  for (const view of [page, other]) await made(view).getByRole('button', { name: 'Rules' }).click()
  const rules = JSON.stringify({ senders: [address] })
  await made(page).getByRole('textbox', { name: 'Rules (JSON)' }).fill(rules)
  await made(page).getByRole('button', { name: 'Save' }).click()
  await made(page).getByText('Saved as version').waitFor()

  // A browser draws little of a page that is behind another.
  await other.bringToFront()
  const late = made(other)
  await late.getByRole('textbox', { name: 'Rules (JSON)' }).fill(JSON.stringify({ chains: [1] }))
  await late.getByRole('button', { name: 'Save' }).click()
  await late
    .getByRole('alert')
    .getByText(/was changed/)
    .waitFor()
  await late.getByRole('button', { name: 'Take theirs' }).click()
  await expect
    .poll(() => late.getByRole('textbox', { name: 'Rules (JSON)' }).inputValue())
    .toContain(address.toLowerCase())

  await page.bringToFront()
  await made(page).getByRole('button', { name: 'Resume' }).click()
  await made(page).getByText('pays', { exact: true }).waitFor()
  await made(page).getByRole('button', { name: 'Test an operation' }).click()
  await made(page)
    .getByRole('textbox', { name: 'Account' })
    .fill(`0x${'11'.repeat(20)}`)
  await made(page).getByRole('button', { name: 'Test', exact: true }).click()
  await made(page).getByText('Refused by the rule senders').waitFor()
  await made(page).getByRole('button', { name: 'Spend' }).click()
  await made(page).getByText('Nothing was sponsored in the last 30 days.').waitFor()
  const usual = card(page, stage.world.policyId)
  await usual.getByRole('button', { name: 'Spend' }).click()
  await usual
    .getByRole('img', { name: new RegExp(`^Gas sponsored on (1 day|2 days) by ${stage.world.policyId}$`) })
    .waitFor()
  await lookAt(page, 'policy')
  for (const view of [page, other]) await view.close()
})

test('behavior: a person is found by the address of the mail, and by that of their key', async () => {
  const page = await open('users')
  const [{ to = '' } = {}] = stage.world.messages()
  const field = page.getByRole('textbox', { name: /^E-mail address/ })
  const found = page.getByRole('main').getByRole('link', { name: to })
  await field.fill(to)
  await page.getByRole('button', { name: 'Find' }).click()
  await found.click()
  await card(page, 'Sessions').getByText(/ends /).waitFor()
  await page.getByText('An operator can neither sign for a person nor export their keys').waitFor()
  // Its client computed it; the page computes the same.
  const account = card(page, 'Smart accounts').getByRole('listitem').filter({ hasText: address })
  await account.getByText(new RegExp(`LightAccount v1.1.0 · chain ${stage.world.chainId}: \\d+ operations`)).waitFor()
  const key = (await card(page, 'Addresses of keys').locator('code').first().textContent()) ?? ''
  await lookAt(page, 'user')
  await page.getByRole('link', { name: 'Find another person' }).click()
  await field.fill(key)
  await page.getByRole('button', { name: 'Find' }).click()
  await found.waitFor()
  await field.fill('nobody')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByText('That is neither').waitFor()
  await page.close()
})

test('behavior: what was sent to the app is listed, and sent again', async () => {
  const page = await open('webhooks')
  const row = page.getByRole('row', { name: /user\.created/ })
  await row.getByText('delivered', { exact: true }).waitFor()
  const countOf = () => receiver.received.filter(({ body }) => body.includes('user.created')).length
  expect(countOf()).toBe(1)
  await row.getByRole('button', { name: 'Send again' }).click()
  await expect.poll(countOf).toBe(2)
  await page.goto(`${stage.world.urls.console}/mails`)
  await page
    .getByRole('row', { name: /ada-\w+@example\.com/ })
    .getByText('sent', { exact: true })
    .waitFor()
  await page.close()
})

test('behavior: an operation that waits is sent again as the same bytes, and the page follows it into its block', async () => {
  const [wallet] = context.pages()
  const chain = createTestClient({ mode: 'anvil', transport: http(stage.world.urls.node) })
  await chain.setAutomine(false)
  try {
    await wallet?.getByRole('button', { name: 'Mint 100 DEMO' }).click()
    const page = await open('operations?state=seen')
    await card(page, 'All operations').getByRole('row').nth(1).getByRole('link').first().click()
    const way = card(page, 'Its way')
    await way.getByRole('button', { name: 'Send the same bytes again' }).click()
    await way.getByText('A gateway sends it at its next look.').waitFor()
    await lookAt(page, 'waiting-operation')
    await chain.setAutomine(true)
    await chain.mine({ blocks: 1 })
    await way.getByText('included', { exact: true }).first().waitFor()
    await way.getByRole('button', { name: 'Send the same bytes again' }).waitFor({ state: 'detached' })
    await page.close()
  } finally {
    await chain.setAutomine(true)
    await chain.mine({ blocks: 1 })
  }
})

test('behavior: the palette goes anywhere by keyboard', async () => {
  const page = await open()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('audit')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/log')
  await page.keyboard.press('Control+k')
  await page.keyboard.type(address)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain(`/operations?sender=${address}`)
  // And by hand.
  await page.getByRole('button', { name: 'Go to' }).click()
  await lookAt(page, 'palette')
  await page.getByRole('option', { name: 'Health' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/health')
  await page.close()
})

test.each(places)('behavior: /%s fits a phone and holds what axe asks', async (path) => {
  const page = await open(path)
  await page.getByText('Loading …').first().waitFor({ state: 'detached' })
  await lookAt(page, path || 'overview')
  await page.close()
})

test.each([
  ['without the header of its page', {}],
  ['by a page of another origin', { 'x-latchkey-console': '1', origin: 'http://localhost:5173' }],
])('error: what is asked %s changes nothing', async (_, headers) => {
  const { console: url } = stage.world.urls
  const before = stage.world.clock.now()
  const answers = await Promise.all([
    fetch(`${url}/admin/v1/operator`, { headers }),
    fetch(`${url}/dev/clock`, { method: 'POST', headers, body: '{"by":"8d"}' }),
    fetch(`${url}/dev/faucet`, { method: 'POST', headers, body: JSON.stringify({ address, wei: '1' }) }),
    fetch(`${url}/dev/inbox/api/messages`, { method: 'DELETE', headers }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  expect(stage.world.clock.now() - before).toBeLessThan(8 * 86_400_000)
  expect(stage.world.messages().length).toBeGreaterThan(0)
})

test('error: the admin API is away: the page says so, and comes back', async () => {
  const page = await open('log')
  const bring = await stage.world.interrupt('admin')
  await page.reload()
  await page.getByRole('alert').getByText('The admin API does not answer').waitFor()
  await bring()
  await page.getByRole('button', { name: 'Try again' }).click()
  await card(page, 'What operators did, and were refused').waitFor()
  await page.close()
})

test('behavior: the pages ask for nothing that the OpenAPI document does not name', async () => {
  const { paths } = await (await fetch(new URL('/admin/v1/openapi.json', stage.world.urls.admin))).json()
  const named = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}$`)),
  )
  const calls = [...asked].filter((one) => one.includes('/admin/'))
  expect(calls.length).toBeGreaterThan(10)
  expect(calls.filter((one) => !named.some((form) => form.test(one)))).toEqual([])
  // All else is its own page, and what only a world of this machine has.
  const rest = [...asked].filter((one) => !one.includes('/admin/') && !one.startsWith('get '))
  expect(rest.every((one) => / \/dev\//.test(one))).toBe(true)
})
