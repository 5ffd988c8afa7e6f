import { newKey } from '@latchkey/testkit/accounts/setChain'
import { setBundlers } from '@latchkey/testkit/wallet/setBundlers'
import { splitTransport } from '@latchkey/testkit/wallet/splitTransport'
import { approving } from '@latchkey/testkit/wallet/stubContracts'
import {
  type Address,
  createPublicClient,
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  parseAbi,
  parseEther,
  type Transport,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { entryPointAbi } from '../../accounts/entryPoint.ts'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { defineLatchkeyDevChain } from '../../core/chains/latchkeyDev.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { memoryOutbox } from '../../core/outbox/memoryOutbox.ts'
import type { OutboxPort } from '../../core/outbox/OutboxPort.ts'
import { createOperationContext } from '../client/createOperationContext.ts'
import { createSmartAccountClient } from '../client/createSmartAccountClient.ts'
import type { ClientOptions } from '../client/types.ts'
import type { Middleware, MiddlewareConfig } from '../middleware/types.ts'
import { findOutcome } from './findOutcome.ts'
import type { OperationRecord, OutboxOptions } from './types.ts'

// Uses its own chain, because the tests mine blocks and change the chain's clock.
const stage = setBundlers()

type Draft = Parameters<Middleware>[0]
type Version = 'v1.1.0' | 'v2.0.0'
type Options = { owner?: Hex; store?: OutboxPort; isPatient?: boolean; opts?: ClientOptions }

async function setUp(version: Version, options: Options = {}) {
  const { owner = generatePrivateKey(), store = memoryOutbox(), isPatient = false, opts } = options
  const chain = defineLatchkeyDevChain({ id: stage.devnet.chainId, nodeUrl: stage.devnet.nodeUrl })
  const bundlerUrl = isPatient ? stage.bundler.url : stage.devnet.bundlerUrl
  const reader = createPublicClient({ chain, transport: http(stage.devnet.nodeUrl) })
  const tester = createTestClient({ mode: 'anvil', chain, transport: http(stage.devnet.nodeUrl) })
  const account = await toLightAccount({ client: reader, owner: privateKeyToAccount(owner), version })
  if (!options.owner) await tester.setBalance({ address: account.address, value: parseEther('1') })
  const transport = splitTransport({ nodeUrl: stage.devnet.nodeUrl, bundlerUrl })
  const client = createSmartAccountClient({ account, chain, transport, outbox: { store }, opts })
  const countEvents = async () => {
    const filter = { abi: entryPointAbi, eventName: 'UserOperationEvent', fromBlock: 0n } as const
    const args = { sender: account.address }
    return (await reader.getContractEvents({ ...filter, address: account.entryPoint.address, args })).length
  }
  return { owner, store, client, reader, tester, countEvents }
}

function again(
  { client }: Pick<Awaited<ReturnType<typeof setUp>>, 'client'>,
  options: MiddlewareConfig & { outbox: OutboxOptions; transport?: Transport | undefined },
) {
  const { smartAccount: account, chain } = client
  return createSmartAccountClient({ account, chain, transport: splitTransport(stage.devnet), ...options })
}

/** Creates a transport that calls `onCall` before each request, which may delay it. */
function seeing(onCall: (method: string) => unknown): Transport {
  return (options) => {
    const made = splitTransport(stage.devnet)(options)
    const request: typeof made.request = async (call, settings) => {
      await onCall(call.method)
      return made.request(call, settings)
    }
    return { ...made, request }
  }
}

/** Deploys a funded paymaster that accepts every operation until `validUntil`. */
async function placePaymaster(entryPoint: Address, validUntil: bigint): Promise<Address> {
  const tester = createTestClient({ mode: 'anvil', transport: http(stage.devnet.nodeUrl) })
  const [{ address }, { address: from }] = [newKey(), newKey()]
  await tester.setCode({ address, bytecode: approving(validUntil << 160n) })
  await tester.setBalance({ address: from, value: parseEther('2') })
  await tester.impersonateAccount({ address: from })
  const data = encodeFunctionData({ abi: parseAbi(['function depositTo(address)']), args: [address] })
  await tester.sendUnsignedTransaction({ from, to: entryPoint, data, value: parseEther('1') })
  await tester.mine({ blocks: 1 })
  return address
}

const pay = (value: bigint) => {
  const target = privateKeyToAccount(generatePrivateKey()).address
  return { target, uo: { target, data: '0x', value } } as const
}

describe('v2.0.0', () => {
  const version: Version = 'v2.0.0'

  test('records an operation from its start to its end', async () => {
    const { client } = await setUp(version)
    const seen: string[] = []
    const unwatch = client.watchOperations({ onChange: ([first]) => void (first && seen.push(first.state)) })
    const { uo } = pay(5n)
    const { hash, request } = await client.sendUserOperation({ uo })
    const transactionHash = await client.waitForUserOperationTransaction({ hash })
    await expect.poll(() => seen.at(-1)).toBe('included')
    unwatch()
    const [operation] = await client.listOperations()
    expect(operation).toMatchObject({ state: 'included', hash, request, uo, transactionHash, isReverted: false })
    expect(seen[0]).toBe('preparing')
    expect(seen).toContain('signed')
    await client.dismissOperation({ id: operation?.id ?? '' })
    expect(await client.listOperations()).toEqual([])
  })

  test('records a replacement under the nonce key of the replaced operation', async () => {
    const kept = memoryOutbox()
    const lanes: unknown[] = []
    const add: OutboxPort['add'] = (record) => {
      lanes.push((record as OperationRecord).nonceKey)
      return kept.add(record)
    }
    const { client } = await setUp(version, { isPatient: true, store: { ...kept, add } })
    const { request } = await client.sendUserOperation({ uo: pay(1n).uo, overrides: { nonceKey: 7n } })
    await client.dropAndReplaceUserOperation({ uoToDrop: request })
    expect(lanes).toEqual([7n, 7n])
  })

  test('reports an operation as failed when another one used its nonce', async () => {
    const { client, tester, store, owner } = await setUp(version, { isPatient: true })
    const first = await client.sendUserOperation({ uo: pay(1n).uo })
    const [waiting] = await client.listOperations()
    await expect(client.dismissOperation({ id: waiting?.id ?? '' })).rejects.toMatchObject({ code: 'STATE_CONFLICT' })
    // Another device of the same owner sends an operation first.
    const other = await setUp(version, { owner })
    const { hash: by } = await other.client.sendUserOperation({ uo: pay(2n).uo })
    await other.client.waitForUserOperationTransaction({ hash: by })
    const again = await setUp(version, {
      owner,
      store,
      opts: { txMaxRetries: 1, txRetryIntervalMs: 1, txWatchIntervalMs: 0 },
    })
    again.client.resumeOperations().catch(() => {})
    await tester.mine({ blocks: 4 })
    await expect
      .poll(async () => (await again.client.listOperations())[0])
      .toMatchObject({ hash: first.hash, state: 'failed', evidence: { kind: 'nonceUsed', by } })
  })

  test('never lists, watches or dismisses operations of another account', async () => {
    const { client, store } = await setUp(version)
    const { hash } = await client.sendUserOperation({ uo: pay(1n).uo })
    await client.waitForUserOperationTransaction({ hash })
    const other = await setUp(version, { store })
    const [mine] = await client.listOperations()
    const id = mine?.id ?? ''
    expect(await other.client.listOperations()).toEqual([])
    const seen: unknown[] = []
    const unwatch = other.client.watchOperation({ id, onChange: (operation) => seen.push(operation) })
    await expect.poll(() => seen).toEqual([undefined])
    unwatch()
    await other.client.dismissOperation({ id })
    expect(await client.listOperations()).toHaveLength(1)
  })

  test('sends nothing after losing its turn while signing (TURN_LOST)', async () => {
    const { client, countEvents, store } = await setUp(version)
    let sign = () => {}
    const signed = new Promise<void>((resolve) => {
      sign = resolve
    })
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const slow = again(
      { client },
      {
        outbox: { store },
        async signUserOperation(operation, { account }) {
          begin()
          await signed
          return { ...operation, signature: await account.signUserOperationHash(`0x${'11'.repeat(32)}`) }
        },
      },
    )
    const sends: string[] = []
    const quick = again(
      { client },
      {
        // Shortens the wait, which is two minutes by default.
        outbox: { store: { ...store, hold: (name, _, work) => store.hold(name, 20, work) } },
        transport: seeing((method) => void (method === 'eth_sendUserOperation' && sends.push(method))),
      },
    )
    const lost = slow.sendUserOperation({ uo: pay(1n).uo })
    await begun
    const { uo } = pay(2n)
    const { hash } = await quick.sendUserOperation({ uo })
    await quick.waitForUserOperationTransaction({ hash })
    sign()
    await expect(lost).rejects.toMatchObject({
      code: 'TURN_LOST',
      message: expect.stringContaining('Nothing was sent.'),
    })
    expect(await countEvents()).toBe(1)
    await expect
      .poll(async () => (await client.listOperations()).map(({ state, request }) => [state, request !== undefined]))
      .toEqual([
        ['included', true],
        ['notSent', false],
      ])
  })

  test('reports unavailable storage once and keeps sending', async () => {
    const { client, countEvents } = await setUp(version)
    const unavailable = new BaseError('Denied.', { code: 'OUTBOX_UNAVAILABLE' })
    const heard: unknown[] = []
    const store: OutboxPort = { ...memoryOutbox(), open: () => Promise.reject(unavailable) }
    const other = again({ client }, { outbox: { store, onUnavailable: (error) => heard.push(error) } })
    for (const nonceKey of [0n, 1n]) {
      const { hash } = await other.sendUserOperation({ uo: pay(1n).uo, overrides: { nonceKey } })
      await other.waitForUserOperationTransaction({ hash })
    }
    expect(heard).toEqual([unavailable])
    expect(await countEvents()).toBe(2)
    await expect(other.listOperations()).rejects.toBe(unavailable)
  })

  test('sends no operation when storage is full', async () => {
    const { client, countEvents } = await setUp(version)
    const full = new BaseError('Full.', { code: 'STORAGE_FULL' })
    const methods: string[] = []
    const transport = seeing((method) => methods.push(method))
    const store = memoryOutbox()
    const first = again({ client }, { transport, outbox: { store: { ...store, add: () => Promise.reject(full) } } })
    await expect(first.sendUserOperation({ uo: pay(1n).uo })).rejects.toBe(full)
    expect(methods).toEqual([])
    // Fails when the signed operation is stored, but not when the record is created.
    const update: OutboxPort['update'] = (owner, id, change) =>
      store.update(owner, id, (known) => {
        const next = change(known)
        if (next && 'request' in next) throw full
        return next
      })
    const second = again({ client }, { transport, outbox: { store: { ...store, update } } })
    await expect(second.sendUserOperation({ uo: pay(1n).uo })).rejects.toBe(full)
    expect(methods).not.toContain('eth_sendUserOperation')
    const kept = (await second.listOperations()).map(({ state, reason }) => ({ state, reason }))
    expect(kept).toEqual([{ state: 'notSent', reason: 'Full.' }])
    expect(await countEvents()).toBe(0)
  })
})

test.each(['v1.1.0', 'v2.0.0'] as const)('reports an expired paymaster once confirmed (%s)', async (version) => {
  const { client, tester, reader, store } = await setUp(version, { isPatient: true })
  const { entryPoint } = client.smartAccount
  const validUntil = (await reader.getBlock()).timestamp + 3_600n
  const paymaster = await placePaymaster(entryPoint.address, validUntil)
  const transport = splitTransport({ nodeUrl: stage.devnet.nodeUrl, bundlerUrl: stage.bundler.url })
  const payer = async (draft: Draft) => ({
    ...draft,
    ...(version === 'v1.1.0'
      ? { paymasterAndData: paymaster }
      : {
          paymaster,
          paymasterData: '0x' as const,
          paymasterVerificationGasLimit: 100_000n,
          paymasterPostOpGasLimit: 20_000n,
        }),
  })
  const paid = again(
    { client },
    {
      outbox: { store },
      transport,
      paymasterAndData: { dummyPaymasterAndData: payer, paymasterAndData: payer },
    },
  )
  const { hash } = await paid.sendUserOperation({ uo: pay(1n).uo })
  const [record] = await paid.listOperations()
  if (!record) throw new TypeError('no record')
  const context = createOperationContext({ account: client.smartAccount, transport, outbox: { store } })
  await tester.mine({ blocks: 5 })
  expect(await findOutcome(context, record)).toBeUndefined()
  // In this block the EntryPoint accepts the operation for the last time. Three more blocks confirm the deadline.
  await tester.setNextBlockTimestamp({ timestamp: validUntil })
  await tester.mine({ blocks: 1 })
  await tester.mine({ blocks: 3, interval: 1 })
  const last = await reader.getBlock()
  expect(last.timestamp).toBeGreaterThan(validUntil)
  expect(await findOutcome(context, record)).toBeUndefined()
  await paid.dismissOperation({ id: record.id }).then(
    () => expect.unreachable(),
    ({ code }) => expect(code).toBe('STATE_CONFLICT'),
  )
  await tester.mine({ blocks: 1 })
  await paid.resumeOperations()
  const blockNumber = last.number - 2n
  expect((await paid.listOperations())[0]).toMatchObject({
    hash,
    state: 'failed',
    evidence: { kind: 'paymasterExpired', paymaster, validUntil, blockNumber },
  })
  await paid.dismissOperation({ id: record.id })
})
