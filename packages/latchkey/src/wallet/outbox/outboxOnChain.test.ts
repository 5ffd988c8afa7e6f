import { startTestChain } from '@latchkey/testkit/chain'
import { splitTransport } from '@latchkey/testkit/wallet/splitTransport'
import { startPatientBundler } from '@latchkey/testkit/wallet/startPatientBundler'
import { createPublicClient, createTestClient, type Hex, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entryPointAbi } from '../../accounts/entryPoint.ts'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { defineLatchkeyDevChain } from '../../core/chains/latchkeyDev.ts'
import { memoryOutbox } from '../../core/outbox/memoryOutbox.ts'
import type { OutboxPort } from '../../core/outbox/OutboxPort.ts'
import { createSmartAccountClient } from '../client/createSmartAccountClient.ts'
import type { ClientOptions } from '../client/types.ts'

let world: Awaited<ReturnType<typeof startTestChain>>
let bundler: Awaited<ReturnType<typeof startPatientBundler>>
beforeAll(async () => {
  world = await startTestChain({ bundler: true })
  bundler = await startPatientBundler(world.nodeUrl)
})
afterAll(async () => {
  await bundler?.close()
  await world?.close()
})

type Version = 'v1.1.0' | 'v2.0.0'
type Options = { owner?: Hex; store?: OutboxPort; isPatient?: boolean; opts?: ClientOptions }

async function setUp(version: Version, options: Options = {}) {
  const { owner = generatePrivateKey(), store = memoryOutbox(), isPatient = false, opts } = options
  const chain = defineLatchkeyDevChain({ id: world.chainId, nodeUrl: world.nodeUrl })
  const bundlerUrl = isPatient ? bundler.url : world.bundlerUrl
  const reader = createPublicClient({ chain, transport: http(world.nodeUrl) })
  const tester = createTestClient({ mode: 'anvil', chain, transport: http(world.nodeUrl) })
  const account = await toLightAccount({ client: reader, owner: privateKeyToAccount(owner), version })
  if (!options.owner) await tester.setBalance({ address: account.address, value: parseEther('1') })
  const transport = splitTransport({ nodeUrl: world.nodeUrl, bundlerUrl })
  const client = createSmartAccountClient({ account, chain, transport, outbox: { store }, opts })
  const countEvents = async () => {
    const filter = { abi: entryPointAbi, eventName: 'UserOperationEvent', fromBlock: 0n } as const
    const args = { sender: account.address }
    return (await reader.getContractEvents({ ...filter, address: account.entryPoint.address, args })).length
  }
  return { owner, store, client, reader, tester, countEvents }
}

const pay = (value: bigint) => {
  const target = privateKeyToAccount(generatePrivateKey()).address
  return { target, uo: { target, data: '0x', value } } as const
}

describe.each(['v1.1.0', 'v2.0.0'] as const)('%s', (version) => {
  test('default: kept from the press on, and its end is known once it was waited for', async () => {
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

  test('behavior: two sends pressed at once are both done, one after the other', async () => {
    const { client, countEvents } = await setUp(version)
    const sent = await Promise.all([pay(1n), pay(2n)].map(({ uo }) => client.sendUserOperation({ uo })))
    for (const { hash } of sent) await client.waitForUserOperationTransaction({ hash })
    expect(await countEvents()).toBe(2)
    await expect
      .poll(async () => (await client.listOperations()).map(({ state }) => state))
      .toEqual(['included', 'included'])
  })

  test('behavior: what was signed and not sent is sent by the next visit, byte by byte the same', async () => {
    const first = await setUp(version)
    // The page ends between the write and the request.
    const end = new Promise<never>(() => {})
    const cut = { ...first.store, holdIfFree: first.store.holdIfFree }
    const { uo, target } = pay(3n)
    const client = createSmartAccountClient({
      account: first.client.smartAccount,
      chain: first.client.chain,
      outbox: { store: { ...cut, hold: async (_, __, work) => work({ isHeld: () => true }) } },
      transport: (options) => {
        const made = splitTransport({ nodeUrl: world.nodeUrl, bundlerUrl: world.bundlerUrl })(options)
        const request: typeof made.request = (call, settings) =>
          call.method === 'eth_sendUserOperation' ? end : made.request(call, settings)
        return { ...made, request }
      },
    })
    client.sendUserOperation({ uo }).catch(() => {})
    await expect.poll(async () => (await client.listOperations()).map(({ state }) => state)).toEqual(['signed'])
    const [kept] = await first.client.listOperations()
    const next = await setUp(version, { owner: first.owner, store: first.store })
    await next.client.resumeOperations()
    const [operation] = await next.client.listOperations()
    expect(operation).toMatchObject({ state: 'included', hash: kept?.hash, request: kept?.request })
    expect(await next.countEvents()).toBe(1)
    expect(await next.reader.getBalance({ address: target })).toBe(3n)
  })

  test('error: a bundler refuses it: it is not sent again by itself', async () => {
    const { client, tester, countEvents } = await setUp(version)
    await tester.setBalance({ address: client.smartAccount.address, value: 0n })
    const { uo } = pay(0n)
    const overrides = { maxFeePerGas: 10n ** 9n * 100n, maxPriorityFeePerGas: 1n }
    await expect(client.sendUserOperation({ uo, overrides })).rejects.toThrow()
    const [before] = await client.listOperations()
    expect(['notSent', 'refused']).toContain(before?.state)
    expect(before?.reason).toMatch(/./)
    await tester.setBalance({ address: client.smartAccount.address, value: parseEther('1') })
    await client.resumeOperations()
    expect((await client.listOperations())[0]?.state).toBe(before?.state)
    expect(await countEvents()).toBe(0)
    await client.dismissOperation({ id: before?.id ?? '' })
  })

  test('error: another operation used its nonce: failed, with the other as evidence, once the block is confirmed', async () => {
    const { client, tester, store, owner } = await setUp(version, { isPatient: true })
    const first = await client.sendUserOperation({ uo: pay(1n).uo })
    const [waiting] = await client.listOperations()
    await expect(client.dismissOperation({ id: waiting?.id ?? '' })).rejects.toMatchObject({ code: 'STATE_CONFLICT' })
    // Another device of the same owner is faster.
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
      .poll(async () => (await again.client.listOperations())[0], { timeout: 60_000 })
      .toMatchObject({ hash: first.hash, state: 'failed', evidence: { kind: 'nonceUsed', by } })
  })

  test('error: nothing of another account is listed, watched or dismissed', async () => {
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
})
