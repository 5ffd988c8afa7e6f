import { lightOperation, signAndSend, signOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { type RpcReply, startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import type { PrepareUserOperationResult } from 'latchkey-protocol'
import { encodeFunctionData, type Hex, numberToHex, parseAbi, zeroAddress } from 'viem'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { upsertPolicy } from '../../store/ledger/policies.ts'
import { findOperation } from '../../store/operations.ts'

const { demo, entryPoints, paymasters } = devAddresses
const versions = ['0.6.0', '0.7.0'] as const
const each = test.each(versions)
const abi = parseAbi(['function mint(address to, uint256 amount)'])
const mint = encodeFunctionData({ abi, functionName: 'mint', args: [demo, 1n] })

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

async function setUp(version: Version) {
  const operation = await lightOperation(gateway, version, [{ to: demo, data: mint }])
  const { nonce, signature, paymasterAndData, ...draft } = operation.userOperation
  const prepare = (more: object = {}) => {
    const { dummySignature } = operation
    const request = { entryPoint: entryPoints[version], userOperation: draft, dummySignature, ...more }
    return gateway.ask('latchkey_prepareUserOperation', [request])
  }
  async function prepared(more: object = {}) {
    const { result, error } = await prepare(more)
    expect(error).toBeUndefined()
    return (result as PrepareUserOperationResult).userOperation as Record<string, Hex>
  }
  async function include(userOperation: Record<string, Hex>) {
    // Adds only the signature, since all other fields are prepared.
    const { hash, reply } = await signAndSend(gateway, { ...operation, userOperation }, {})
    expect(reply).toMatchObject({ result: hash })
    return gateway.waitForReceipt(hash)
  }
  return { ...operation, draft, prepare, prepared, include }
}

each('prepares first and second operations in one request each, entry point %s', async (version) => {
  const it = await setUp(version)
  const first = await it.prepared()
  expect(first).toMatchObject({ ...it.draft, nonce: '0x0' })
  expect(await it.include(first)).toMatchObject({ success: true, paymaster: paymasters[version] })

  // The client may still send the factory.
  const second = await it.prepared()
  const { initCode, factory, factoryData, ...rest } = it.draft
  expect(second).toMatchObject({ ...rest, nonce: '0x1' })
  expect([second.initCode, second.factory, second.factoryData]).toEqual([
    version === '0.6.0' ? '0x' : undefined,
    undefined,
    undefined,
  ])
  expect(await it.include(second)).toMatchObject({ success: true })
})

each('prepares operations of two keys at once, entry point %s', async (version) => {
  const it = await setUp(version)
  expect(await it.include(await it.prepared())).toMatchObject({ success: true })
  const both = await Promise.all([it.prepared({ nonceKey: '0x5' }), it.prepared({ nonceKey: '0x6' })])
  expect(both.map(({ nonce }) => nonce)).toEqual([numberToHex(5n << 64n), numberToHex(6n << 64n)])
  const receipts = await Promise.all(both.map((operation) => it.include(operation)))
  expect(receipts).toMatchObject([{ success: true }, { success: true }])
})

each('prepares and logs an operation the account pays, entry point %s', async (version) => {
  const it = await setUp(version)
  await gateway.setBalance(it.sender, 10n ** 18n)
  const prepared = await it.prepared({ sponsored: false })
  expect([prepared.paymasterAndData, prepared.paymaster, prepared.paymasterData]).toEqual([
    version === '0.6.0' ? '0x' : undefined,
    undefined,
    undefined,
  ])
  const { hash } = await signOperation(gateway.chainId, { ...it, userOperation: prepared }, {})
  const find = () => findOperation(gateway.db, { userOpHash: hash, projectId: 'app' })
  expect(await find()).toMatchObject({ state: 'prepared', paymaster: null, policy_id: null, max_cost: null })
  expect(await find()).toMatchObject({ prepared_at: expect.any(Date), signed_at: null, sent_at: null })
  const reservations = gateway.db.selectFrom('reservations').selectAll()
  expect(await reservations.where('sender', '=', it.sender.toLowerCase()).execute()).toEqual([])

  const receipt = await it.include(prepared)
  expect(receipt?.success).toBe(true)
  expect([undefined, zeroAddress]).toContain(receipt?.paymaster)
  const sent = await find()
  expect(sent?.prepared_at).toBeInstanceOf(Date)
  expect(sent?.sent_at).toBeInstanceOf(Date)
})

test('lets accounts pay without a default policy, unless sponsoring is required', async () => {
  const it = await setUp('0.7.0')
  await gateway.setBalance(it.sender, 10n ** 18n)
  await upsertPolicy(gateway.db, { projectId: 'app', id: 'default', isDefault: false })
  try {
    expect((await it.prepared()).paymaster).toBeUndefined()
    expect((await it.prepare({ sponsored: true })).error?.data?.code).toBe('POLICY_NOT_FOUND')
    expect((await it.prepared({ policyId: 'default' })).paymaster).toBe(paymasters['0.7.0'])
  } finally {
    await upsertPolicy(gateway.db, { projectId: 'app', id: 'default', isDefault: true })
  }
})

test('lets accounts pay without paymasters and refuses a paused default policy', async () => {
  const { draft, dummySignature, prepare, sender } = await setUp('0.7.0')
  await gateway.setBalance(sender, 10n ** 18n)
  const ask = (app: TestGateway['app'], more: object = {}): Promise<RpcReply> =>
    gateway.ask(
      'latchkey_prepareUserOperation',
      [{ entryPoint: entryPoints['0.7.0'], userOperation: draft, dummySignature, ...more }],
      app,
    )
  const without = gateway.withChain({ paymasters: {} })
  expect(await ask(without)).toMatchObject({ result: { userOperation: { nonce: '0x0' } } })
  expect((await ask(without, { sponsored: true })).error?.data?.code).toBe('ENTRY_POINT_NOT_FOUND')

  await upsertPolicy(gateway.db, { projectId: 'app', id: 'default', paused: true })
  try {
    expect((await prepare()).error?.data?.code).toBe('POLICY_REFUSED')
  } finally {
    await upsertPolicy(gateway.db, { projectId: 'app', id: 'default', paused: false })
  }
})

test('refuses unknown policies and entry points, and malformed values', async () => {
  const it = await setUp('0.6.0')
  const cases: [object, string, string][] = [
    [{ policyId: 'theirs' }, 'POLICY_NOT_FOUND', 'theirs'],
    [{ entryPoint: demo }, 'ENTRY_POINT_NOT_FOUND', demo],
    [{ nonceKey: `0x1${'0'.repeat(48)}` }, 'REQUEST_INVALID', 'nonceKey'],
    [{ policyId: 'default', sponsored: false }, 'REQUEST_INVALID', 'policyId'],
    [{ entryPoint: demo, sponsored: false }, 'ENTRY_POINT_NOT_FOUND', demo],
    [{ dummySignature: undefined }, 'REQUEST_INVALID', 'dummySignature'],
    [{ userOperation: { ...it.draft, sender: undefined } }, 'REQUEST_INVALID', 'userOperation.sender'],
    [{ userOperation: { ...it.draft, nonce: '7' } }, 'REQUEST_INVALID', 'userOperation.nonce'],
  ]
  for (const [more, code, text] of cases)
    expect((await it.prepare(more)).error).toMatchObject({
      code: -32602,
      data: { code },
      message: expect.stringContaining(text),
    })
})

test('refuses an account without funds and does not log it', async () => {
  const it = await setUp('0.7.0')
  expect((await it.prepare({ sponsored: false })).error?.message).toMatch(/AA21/)
  const rows = await gateway.db.selectFrom('operations').select('state').where('sender', '=', it.sender.toLowerCase())
  expect(await rows.execute()).toEqual([])
})
