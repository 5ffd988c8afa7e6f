import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { InboxMessage } from '../inbox/createMessageStore.ts'
import { createDevnetFaults, type FaultName } from './createDevnetFaults.ts'
import type { FaultyRole } from './faultResponses.ts'

/* Covers what a test with a devnet cannot show. e2e/packaging/kit.test.ts triggers the same faults in a devnet. */

const opened: string[] = []
let page: Listening
beforeAll(async () => {
  page = await listen((request, response) => {
    opened.push(request.url ?? '')
    response.end()
  })
})
afterAll(() => page.close())

const setFaults = () => createDevnetFaults(async () => ({ url: page.url, chainId: 31337 }))

const mail = (id: string): InboxMessage => ({
  id,
  to: 'ada@example.com',
  from: 'wallet@example.com',
  subject: 'Sign in',
  text: '',
  html: '',
  receivedAt: new Date(0).toISOString(),
  links: [`${page.url}/${id}?bundle=1`, 'http://127.0.0.1:9/away'],
  code: null,
})

/** Returns the ids of delivered e-mails, and the links that were opened before the first delivery. */
async function deliver({ deliver: take }: createDevnetFaults.ReturnType, id: string) {
  const ids: string[] = []
  let openedBefore: string[] | undefined
  await take(mail(id), (message) => {
    openedBefore ??= [...opened]
    ids.push(message.id)
  })
  return { ids, openedBefore }
}

test('delivers a mail once and opens no link without a fault', async () => {
  const devnet = setFaults()
  expect(await deliver(devnet, 'plain')).toEqual({ ids: ['plain'], openedBefore: [] })
  expect(opened).toEqual([])
})

test('duplicates, drops and scans the given number of mails', async () => {
  const devnet = setFaults()
  await devnet.faults.begin('mail-twice', { times: 1 })
  expect((await deliver(devnet, 'twice')).ids.sort()).toEqual(['twice', 'twice-2'])
  expect((await deliver(devnet, 'once')).ids).toEqual(['once'])
  const end = await devnet.faults.begin('mail-never')
  for (const id of ['a', 'b']) expect((await deliver(devnet, id)).ids).toEqual([])
  await end()
  expect((await deliver(devnet, 'c')).ids).toEqual(['c'])
  // The scanner opens each link before the e-mail is delivered. An unreachable link must not delay the delivery.
  await devnet.faults.begin('mail-scanned', { times: 1 })
  expect(await deliver(devnet, 'scanned')).toEqual({ ids: ['scanned'], openedBefore: ['/scanned?bundle=1'] })
})

test('delays a mail without blocking its sender', async () => {
  const devnet = setFaults()
  await devnet.faults.begin('mail-late', { times: 1, delayMs: 300 })
  const ids: string[] = []
  await devnet.deliver(mail('late'), ({ id }) => ids.push(id))
  expect(ids).toEqual([])
  await expect.poll(() => ids).toEqual(['late'])
})

const ask = async (
  { before }: createDevnetFaults.ReturnType,
  role: FaultyRole,
  path: string,
  body?: object,
): Promise<{ status: number; text: string; tookOver: boolean }> => {
  let reached = 0
  const server = before(role, async () => {
    reached++
    return new Response('the server')
  })
  const headers = { origin: 'http://localhost:5173', ...(body ? {} : { accept: 'text/html' }) }
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const response = await server(new Request(`http://127.0.0.1:1${path}`, init), {})
  return { status: response.status, text: await response.text(), tookOver: reached === 0 }
}

const call = (method: string, params: readonly unknown[] = []) => ({ jsonrpc: '2.0', id: 7, method, params })
const operation = { sender: `0x${'11'.repeat(20)}`, nonce: '0x1', callData: '0x', signature: '0x' }

/** Cases: a fault with a request that it affects, the expected response, and an unaffected request of the same role. */
const met: [FaultName, FaultyRole, string, object | undefined, RegExp, [string, object?] | undefined][] = [
  ['custody-429', 'custody', '/public/v1/query/whoami', {}, /Too many requests/, undefined],
  [
    'custody-consensus',
    'custody',
    '/public/v1/submit/sign_raw_payload',
    { type: 'A', organizationId: 'o' },
    /ACTIVITY_STATUS_CONSENSUS_NEEDED/,
    ['/public/v1/query/whoami', {}],
  ],
  ['frame-never-ready', 'authFrame', '/', undefined, /Silent frame/, ['/script.js', {}]],
  [
    'bundler-refuses',
    'gateway',
    '/v2/key',
    call('eth_sendUserOperation', [operation, '']),
    /AA23/,
    ['/v2/key', call('eth_chainId')],
  ],
  [
    'operation-dropped',
    'gateway',
    '/v2/key',
    call('eth_sendUserOperation', [operation, '0x0000000071727De22E5E9d8BAf0edAc6f37da032']),
    /"result":"0x[0-9a-f]{64}"/,
    ['/v2/key', call('eth_getUserOperationReceipt')],
  ],
  [
    'paymaster-refuses',
    'gateway',
    '/v2/key',
    call('pm_getPaymasterData'),
    /does not pay/,
    ['/v2/key', call('eth_sendUserOperation')],
  ],
]

test.each(met)('applies %s only to its own requests until it ends', async (name, role, path, body, said, alone) => {
  const devnet = setFaults()
  const served = { status: 200, text: 'the server', tookOver: false }
  expect(await ask(devnet, role, path, body)).toEqual(served)
  const end = await devnet.faults.begin(name)
  expect(await ask(devnet, role, path, body)).toMatchObject({ tookOver: true, text: expect.stringMatching(said) })
  if (alone) expect(await ask(devnet, role, ...alone)).toEqual(served)
  for (const other of (['custody', 'gateway', 'authFrame'] as const).filter((each) => each !== role))
    expect(await ask(devnet, other, path, body)).toEqual(served)
  await end()
  expect(await ask(devnet, role, path, body)).toEqual(served)
})

test('slows custody down, counts requests and clears all faults', async () => {
  const devnet = setFaults()
  await devnet.faults.begin('custody-slow', { delayMs: 1, times: 1 })
  expect(await ask(devnet, 'custody', '/public/v1/query/whoami', {})).toMatchObject({ text: 'the server' })
  await devnet.faults.begin('custody-429', { times: 1 })
  await devnet.faults.begin('paymaster-refuses')
  const statuses = [1, 2].map(() => ask(devnet, 'custody', '/public/v1/query/whoami', {}))
  expect((await Promise.all(statuses)).map(({ status }) => status).sort()).toEqual([200, 429])
  await devnet.faults.clear()
  expect(await ask(devnet, 'gateway', '/v2/key', call('pm_getPaymasterData'))).toMatchObject({ text: 'the server' })
})

test('lists the known faults for an unknown name', async () => {
  await expect(setFaults().faults.begin('mail-lost' as FaultName)).rejects.toMatchObject({
    code: 'ARGUMENT_INVALID',
    message: expect.stringMatching(/mail-late[\s\S]*fee-spike/),
  })
})
