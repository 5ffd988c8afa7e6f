import { newKey } from '@latchkey/testkit/accounts/setChain'
import { recordedClient } from '@latchkey/testkit/wallet/recordedClient'
import { expect, test } from 'vitest'
import { memoryOutbox } from '../../core/outbox/memoryOutbox.ts'
import type { OutboxPort, OutboxRecord } from '../../core/outbox/OutboxPort.ts'
import { leaveAccount } from './leaveAccount.ts'
import { recordLock } from './records.ts'
import type { OperationState } from './types.ts'

// Stored records may be outdated, truncated or written by another script.

async function setUp() {
  const store = memoryOutbox()
  const { client, server } = await recordedClient({ outbox: { store } })
  const { smartAccount: account, chain } = client
  const isSent = () => server.calls.some(({ method }) => method === 'eth_sendUserOperation')
  const owner = `${chain.id}:${account.address.toLowerCase()}`
  const request = {
    sender: account.address,
    nonce: '0x0',
    callData: '0x',
    signature: '0x',
    callGasLimit: '0x1',
    verificationGasLimit: '0x1',
    preVerificationGas: '0x1',
    maxFeePerGas: '0x1',
    maxPriorityFeePerGas: '0x1',
    initCode: '0x',
    paymasterAndData: '0x',
  }
  let count = 0
  const create = (changes: Record<string, unknown> = {}) => ({
    version: 1,
    owner,
    id: `r${++count}`,
    state: 'signed',
    chainId: chain.id,
    entryPoint: account.entryPoint.address,
    account: account.address,
    uo: { target: account.address, data: '0x' },
    nonceKey: 0n,
    createdAtMs: Date.now(),
    changedAtMs: Date.now(),
    request,
    hash: `0x${'11'.repeat(32)}`,
    ...changes,
  })
  return { client, store, owner, request, create, isSent }
}

const broken: Record<string, Record<string, unknown>> = {
  'another version': { version: 2 },
  'no version': { version: undefined },
  'a state that is none': { state: 'lost' },
  'a name of objects as its state': { state: 'constructor' },
  'no call': { uo: null },
  'a nonce key that is no bigint': { nonceKey: '0' },
  'no time': { createdAtMs: Number.NaN },
  'signed, and no operation': { request: undefined },
  'signed, and null': { request: null },
  'signed, and an operation that is cut off': { request: { sender: '0x' } },
  'signed, and a nonce without digits': { request: { sender: '0x', nonce: '0x' } },
  'signed, and no hash': { hash: undefined },
  'a hash that is no hex': { hash: '<img src=x>' },
  'a reason that is no text': { state: 'notSent', reason: { toString: 'x' } },
  'a block that is no bigint': { state: 'included', blockNumber: {} },
  'a transaction that is no hex': { state: 'included', transactionHash: 'javascript:alert(1)' },
  'an account that is none': { account: 7 },
  'evidence that is text': { state: 'failed', evidence: 'trust me' },
}

test('lists valid records next to broken ones', async () => {
  const { client, store, create } = await setUp()
  for (const changes of Object.values(broken)) await store.add(create(changes))
  const good = create({ state: 'included' })
  await store.add(good)
  const listed = await client.listOperations()
  expect(listed.map(({ id }) => id)).toEqual([good.id])
})

test.each(Object.entries(broken))('never lists or sends %s, and removes it on request', async (_, changes) => {
  const { client, store, owner, create, isSent } = await setUp()
  const bad = create(changes)
  await store.add(bad)
  expect(await client.listOperations()).toEqual([])
  await client.resumeOperations()
  expect(isSent()).toBe(false)
  await client.dismissOperation({ id: bad.id })
  expect(await store.list(owner)).toEqual([])
})

test.each([
  ['of a hash it does not have', {}],
  ['with fields that are no numbers of the EVM', { callGasLimit: `0x${'ff'.repeat(40)}` }],
  ['of another account', { sender: newKey().address }],
])('never repeats an operation %s, dismisses it, and lets others be sent', async (_, changes) => {
  const { client, store, request, create, isSent } = await setUp()
  const bad = create({ request: { ...request, ...changes } })
  await store.add(bad)
  await client.resumeOperations()
  expect(isSent()).toBe(false)
  const [kept] = await client.listOperations()
  expect(kept).toMatchObject({
    id: bad.id,
    state: 'refused',
    reason: expect.stringContaining('differs from the signed one'),
  })
  await store.update(bad.owner, bad.id, () => bad)
  const { target } = bad.uo
  await client.sendUserOperation({ uo: { target, data: '0x' } })
  expect(isSent()).toBe(true)
  await client.dismissOperation({ id: bad.id })
})

test('removes ended and unsigned records of this account on sign-out', async () => {
  const { store, owner, create } = await setUp()
  const states: OperationState[] = ['preparing', 'signed', 'sent', 'refused', 'included', 'notSent', 'failed']
  for (const state of states) await store.add(create({ id: state, state }))
  await store.add(create({ id: 'broken', version: 7 }))
  await store.add(create({ id: 'other', state: 'included', owner: '1:0xother' }))
  // This record belongs to a tab that is about to sign.
  await store.add(create({ id: 'busy', state: 'preparing' }))
  await store.hold(recordLock('busy'), 1000, () => leaveAccount(store, owner))
  expect(await idsOf(store, owner)).toEqual(['busy', 'refused', 'sent', 'signed'])
  expect(await idsOf(store, '1:0xother')).toEqual(['other'])
})

const idsOf = async (store: OutboxPort, owner: string): Promise<string[]> =>
  (await store.list(owner)).map(({ id }: OutboxRecord) => id).sort()
