import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { findLosses } from '@latchkey/testkit/faults/findLosses'
import {
  exportWallet,
  type Person,
  post,
  rpc,
  send,
  signHash,
  signUp,
  stampedSigning,
  untilIncluded,
} from '@latchkey/testkit/faults/person'
import { type FaultDevnet, startFaultDevnet } from '@latchkey/testkit/faults/startFaultDevnet'
import { type FaultyProxy, rpcReply, twice } from '@latchkey/testkit/faults/startFaultyProxy'
import { hashOperation } from '@latchkey/testkit/gateway/lightOperation'
import { custodyPaths, gatewayMethods } from 'latchkey-protocol'
import { type Hex, hashMessage } from 'viem'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

/** The network between roles fails while users sign up, sign, export and send. */
let devnet: FaultDevnet
let person: Person
const asked = { exports: 0, signatures: 0 }
/** Slow connections, opened first because the server closes them during the other tests. */
let loris: { socket: Socket; ended: Promise<void> }[]
beforeAll(async () => {
  devnet = await startFaultDevnet()
  person = await signUp(devnet)
  loris = Object.values(devnet.roles).flatMap(({ url }) => Array.from({ length: 100 }, () => dribble(url)))
})
afterAll(async () => {
  for (const { socket } of loris ?? []) socket.destroy()
  await devnet?.close()
})

afterEach(() => {
  for (const way of Object.values(devnet?.ways ?? {})) way.bend()
})

/** Sends headers slowly and never completes the request. */
function dribble(url: string): { socket: Socket; ended: Promise<void> } {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write('POST /public/v1/query/whoami HTTP/1.1\r\nhost: localhost\r\n')
  const timer = setInterval(() => socket.write('x-more: 1\r\n'), 500)
  const ended = new Promise<void>((resolve) => {
    socket.resume().once('close', () => {
      clearInterval(timer)
      resolve()
    })
  })
  return { socket, ended }
}

async function sign(text: string): Promise<Hex> {
  asked.signatures++
  return signHash(devnet, person, hashMessage(text))
}

async function sendOne(version: '0.6.0' | '0.7.0' = '0.7.0'): Promise<Hex> {
  asked.signatures++
  return send(devnet, person, version)
}

async function probeSigning() {
  const { body, headers } = stampedSigning(person, hashMessage('probe'))
  const reply = await post(`${devnet.ways.custody.url}${custodyPaths.signRawPayload}`, body, headers)
  if (reply?.status === 200) asked.signatures++
  return { status: reply?.status, code: reply?.json.details?.[0]?.turnkeyErrorCode }
}

async function ask(method: string, params: unknown) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await post(`${devnet.ways.gateway.url}/v2/${devnet.apiKey}`, body, {})
  return reply?.json.error?.data?.code ?? reply?.json
}

test('opens no key while the key encryption is down, and signs the same request afterwards', async () => {
  devnet.ways.vault.bend(async () => 'cut')
  const signing = sign('while the key encryption is down')
  await expect.poll(probeSigning).toEqual({ status: 502, code: 'NETWORK_UNREACHABLE' })
  devnet.ways.vault.bend()
  expect(await signing).toMatch(/^0x[0-9a-f]{130}$/)
  expect(await devnet.roles.custody.readMetric('latchkey_key_encryption_total', 'outcome="failed"')).toBeGreaterThan(0)
})

test.each(['bundler', 'node'] as const)('survives an unreachable, slow and garbled %s', async (name) => {
  const way: FaultyProxy = devnet.ways[name]
  const call = () => ask(name === 'bundler' ? 'eth_supportedEntryPoints' : 'eth_blockNumber', [])
  const code = name === 'bundler' ? 'BUNDLER_UNREACHABLE' : 'NODE_UNREACHABLE'
  const garbage = Buffer.from('{"jsonrpc": "2.0", "id": 1, "result": ')
  way.bend(async () => 'cut')
  expect(await call()).toBe(code)
  const sending = sendOne()
  sending.catch(() => undefined)
  way.bend(async (_, pass) => {
    await setTimeout(300)
    return pass()
  })
  await untilIncluded(devnet, await sending)
  way.bend(async () => ({ status: 200, headers: { 'content-type': 'application/json' }, body: garbage }))
  expect(await call()).toBe(code)
  way.bend()
  await untilIncluded(devnet, await sendOne())
  const labels = [`kind="${name}"`, 'outcome="failed"']
  expect(await devnet.roles.gateway.readMetric('latchkey_upstream_requests_total', ...labels)).toBeGreaterThan(0)
})

test('believes no inclusion that only the bundler claims', async () => {
  let dropped = 0
  devnet.ways.bundler.bend(async (request, pass) => {
    const { method, params } = JSON.parse(request.body.toString())
    if (method === 'eth_getUserOperationReceipt') return rpcReply(request, { result: forgedReceipt(params[0]) })
    if (method !== 'eth_sendUserOperation') return pass()
    dropped++
    return rpcReply(request, { result: hashOperation(devnet.chain.chainId, '0.7.0', params[0]) })
  })
  const hash = await sendOne()
  expect(await ask(gatewayMethods.waitForUserOperation, [hash, { timeoutMs: 500 }])).toMatchObject({
    result: { receipt: null, confirmed: false },
  })
  expect(dropped).toBeGreaterThan(0)
  devnet.ways.bundler.bend()
  // The gateway must send the dropped operation again.
  await untilIncluded(devnet, hash)
})

function forgedReceipt(userOpHash: Hex): object {
  const blockHash = `0x${'cd'.repeat(32)}`
  const receipt = { transactionHash: blockHash, blockHash, blockNumber: '0x1', status: '0x1', logs: [] }
  return { userOpHash, success: true, actualGasCost: '0x1', actualGasUsed: '0x1', logs: [], receipt }
}

test('refuses a bundler that returns another operation hash', async () => {
  const hash = `0x${'ab'.repeat(32)}`
  devnet.ways.bundler.bend(async (request, pass) =>
    request.body.includes('"eth_sendUserOperation"') ? rpcReply(request, { result: hash }) : pass(),
  )
  await expect(sendOne()).rejects.toThrow(hash)
  const line = '"msg":"The bundler calls an operation by another hash than ERC-4337"'
  await expect.poll(devnet.roles.gateway.output).toContain(line)
})

test('includes an operation again once after a reorganization', async () => {
  const { chain } = devnet
  const snapshot = await chain.request('evm_snapshot')
  const hash = await sendOne()
  await untilIncluded(devnet, hash)
  expect(await chain.request('evm_revert', [snapshot])).toBe(true)
  // The new branch must be at least as long as the reverted one.
  await chain.request('anvil_mine', ['0x3'])
  const mining = new AbortController()
  await Promise.all([mineUntil(mining.signal), untilIncluded(devnet, hash).finally(() => mining.abort())])
})

/** Mines blocks, because the bundler checks its operations only at a new block. */
async function mineUntil(end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    await devnet.chain.request('anvil_mine', ['0x1'])
    await setTimeout(500)
  }
}

test('handles every duplicated request once', async () => {
  for (const way of Object.values(devnet.ways)) way.bend(twice)
  asked.exports++
  await Promise.all([
    signUp(devnet).then((other) => exportWallet(devnet, other)),
    sign('twice'),
    sendOne('0.6.0').then((hash) => untilIncluded(devnet, hash)),
  ])
  for (const way of Object.values(devnet.ways)) way.bend()
})

test('cuts off senders that never end a request, and serves others in the meantime', async () => {
  await sign('beside slow senders')
  await Promise.all(loris.map(({ ended }) => ended))
})

test('loses, repeats and reveals nothing over all faults above', async () => {
  expect(await rpc(devnet, 'eth_chainId', [])).toHaveProperty('result')
  expect(await findLosses(devnet, asked)).toEqual([])
})

test('finds planted losses and leaks', async () => {
  const store = await devnet.database.open()
  try {
    await store.pool.query('delete from wallets where org_id = $1', [person.orgId])
  } finally {
    await store.close()
  }
  devnet.secrets.clear()
  devnet.secrets.add('"msg":"Email sent"')
  const found = await findLosses(devnet, { ...asked, exports: asked.exports + 1 }, { settleMs: 0 })
  const texts = ['without its one wallet', 'exports were asked for', 'output of mail shows']
  for (const text of texts) expect(found.join('\n'), text).toContain(text)
})
