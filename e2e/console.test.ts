import type { BrowserContext, Page } from 'playwright-core'
import type { Address } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { setStage } from '../test/setStage.ts'
import { lookAt } from './lookAt.ts'
import { card, openConsole } from './openConsole.ts'
import { signUp } from './signUp.ts'

// Starts its own devnet, because the tests stop the admin API.

const stage = setStage({})
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
  'devnet',
]
let address: Address
let context: BrowserContext
const asked = new Set<string>()

beforeAll(async () => {
  context = await stage.newSharedContext()
  context.on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin === stage.devnet.urls.console) asked.add(`${request.method().toLowerCase()} ${url.pathname}`)
  })
  const person = await signUp({ devnet: stage.devnet, context })
  address = person.address
  for (let count = 0; count < 2; count++) {
    await person.wallet.mint.click()
    await person.wallet.page.getByText('Minted 100 DEMO').last().waitFor()
  }
})

const open = (path = '') => openConsole(context, stage.devnet.urls.console, path)

test('pauses, tests and edits a policy, and reports a concurrent change', async () => {
  const [page, other] = [await open('sponsorship'), await open('sponsorship')]
  const made = (view: Page) => card(view, 'games')
  await card(page, 'New policy').getByRole('textbox', { name: 'Name' }).fill('games')
  await card(page, 'New policy').getByRole('button', { name: 'Create policy' }).click()
  await made(page).getByText('Paused', { exact: true }).waitFor()
  await other.reload()
  for (const view of [page, other]) await made(view).getByRole('button', { name: 'Rules' }).click()
  const rules = JSON.stringify({ senders: [address] })
  await made(page).getByRole('textbox', { name: 'Rules (JSON)' }).fill(rules)
  await made(page).getByRole('button', { name: 'Save' }).click()
  await made(page).getByText('Saved as version').waitFor()

  // Browsers rarely render background tabs.
  await other.bringToFront()
  const late = made(other)
  await late.getByRole('textbox', { name: 'Rules (JSON)' }).fill(JSON.stringify({ chains: [1] }))
  await late.getByRole('button', { name: 'Save' }).click()
  await late
    .getByRole('alert')
    .getByText(/was changed/)
    .waitFor()
  await late.getByRole('button', { name: 'Discard mine' }).click()
  await expect
    .poll(() => late.getByRole('textbox', { name: 'Rules (JSON)' }).inputValue())
    .toContain(address.toLowerCase())

  await page.bringToFront()
  await made(page).getByRole('button', { name: 'Resume' }).click()
  await made(page).getByText('Active', { exact: true }).waitFor()
  await made(page).getByRole('button', { name: 'Test operation' }).click()
  await made(page)
    .getByRole('textbox', { name: 'Account' })
    .fill(`0x${'11'.repeat(20)}`)
  await made(page).getByRole('button', { name: 'Test', exact: true }).click()
  await made(page).getByText('Refused by rule senders').waitFor()
  await made(page).getByRole('button', { name: 'Spending' }).click()
  await made(page).getByText('No gas was sponsored in the last 30 days.').waitFor()
  const usual = card(page, stage.devnet.policyId)
  await usual.getByRole('button', { name: 'Spending' }).click()
  await usual
    .getByRole('img', { name: new RegExp(`^Gas sponsored on (1 day|2 days) by ${stage.devnet.policyId}$`) })
    .waitFor()
  await lookAt(page, 'policy')
  for (const view of [page, other]) await view.close()
})

test('opens any page from the command palette by keyboard', async () => {
  const page = await open()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('audit')
  await page.keyboard.press('Enter')
  await expect.poll(() => new URL(page.url()).pathname).toBe('/log')
  await page.keyboard.press('Control+k')
  await page.keyboard.type(address)
  await page.keyboard.press('Enter')
  await expect.poll(() => page.url()).toContain(`/operations?sender=${address}`)
  await page.getByRole('button', { name: 'Go to' }).click()
  await lookAt(page, 'palette')
  await page.getByRole('option', { name: 'Health' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/health')
  await page.close()
})

test.each(places)('fits a phone and passes axe on /%s', async (path) => {
  const page = await open(path)
  await page.getByText('Loading…').first().waitFor({ state: 'detached' })
  await lookAt(page, path || 'overview')
  await page.close()
})

test.each([
  ['without the header of its page', {}],
  ['by a page of another origin', { 'x-latchkey-console': '1', origin: 'http://localhost:5173' }],
])('refuses a request %s', async (_, headers) => {
  const { console: url } = stage.devnet.urls
  const before = stage.devnet.clock.now()
  const answers = await Promise.all([
    fetch(`${url}/admin/v1/operator`, { headers }),
    fetch(`${url}/dev/clock`, { method: 'POST', headers, body: '{"by":"8d"}' }),
    fetch(`${url}/dev/faucet`, { method: 'POST', headers, body: JSON.stringify({ address, wei: '1' }) }),
    fetch(`${url}/dev/inbox/api/messages`, { method: 'DELETE', headers }),
  ])
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  expect(stage.devnet.clock.now() - before).toBeLessThan(8 * 86_400_000)
  expect(stage.devnet.messages().length).toBeGreaterThan(0)
})

test('reports an unreachable admin API and recovers', async () => {
  const page = await open('log')
  const bring = await stage.devnet.interrupt('admin')
  await page.reload()
  await page.getByRole('alert').getByText('The admin API does not answer').waitFor()
  await bring()
  await page.getByRole('button', { name: 'Try again' }).click()
  await card(page, 'Operator actions').waitFor()
  await page.close()
})

test('calls only operations that the OpenAPI document names', async () => {
  const { paths } = await (await fetch(new URL('/admin/v1/openapi.json', stage.devnet.urls.admin))).json()
  const named = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}$`)),
  )
  const calls = [...asked].filter((one) => one.includes('/admin/'))
  expect(calls.length).toBeGreaterThan(10)
  expect(calls.filter((one) => !named.some((form) => form.test(one)))).toEqual([])
  const rest = [...asked].filter((one) => !one.includes('/admin/') && !one.startsWith('get '))
  expect(rest.every((one) => / \/dev\//.test(one))).toBe(true)
})
