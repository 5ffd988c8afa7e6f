import { newKey } from '@latchkey/testkit/accounts/setChain'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import { type RpcReply, startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { type Address, createClient, custom, numberToHex, parseEther, parseGwei, type Transport } from 'viem'
import { afterAll, describe, expect } from 'vitest'
import { upsertPolicy } from '../../../server/src/store/ledger/policies.ts'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { toModularAccount } from '../accounts/modularAccount/toModularAccount.ts'
import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

/** Requests, and how many of them depend on one another. */
type Traffic = { methods: string[]; depth: number }
type Change = (method: string, reply: RpcReply) => RpcReply

function through(change: Change = (_, reply) => reply): { transport: Transport; take(): Traffic } {
  let now: Traffic = { methods: [], depth: 0 }
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    // A request of the previous test may still be pending.
    const own = now
    own.methods.push(method)
    const depth = own.depth + 1
    const { result, error } = change(method, await gateway.ask(method, params ?? []))
    own.depth = Math.max(own.depth, depth)
    if (error) throw Object.assign(new TypeError(error.message), error)
    return result
  }
  const take = () => {
    const { methods, depth } = now
    now = { methods: [], depth: 0 }
    return { methods: methods.sort(), depth }
  }
  return { transport: custom({ request }, { retryCount: 0 }), take }
}

type Options = Partial<createSmartAccountClient.Parameters> & {
  version?: 'v1.1.0' | 'v2.0.0'
  change?: Change
  /** Whether the chain declares the service as Latchkey's gateway. */
  isGateway?: boolean | undefined
}

async function setUp({ version = 'v1.1.0', change, isGateway, ...options }: Options = {}) {
  const dev = defineLatchkeyDevChain({ id: gateway.chainId })
  const chain = { ...dev, custom: { latchkey: { ...dev.custom.latchkey, gateway: isGateway } } }
  const { transport, take } = through(change)
  const account = await toLightAccount({ client: createClient({ chain, transport }), owner: newKey(), version })
  const gasManagerConfig = { policyId: 'default' }
  const client = createSmartAccountClient({ gasManagerConfig, ...options, account, chain, transport })
  return { client, take, address: account.address }
}

const balanceOf = (address: Address) =>
  gateway.client.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })
const call = (to: Address) => ({ target: demo, data: mint(to, 5n).data })
const prepare = 'latchkey_prepareUserOperation'
const combined = 'alchemy_requestGasAndPaymasterAndData'
const send = 'eth_sendUserOperation'
const noMethod: Change = (method, reply) =>
  method === prepare ? { error: { code: -32601, message: 'the method does not exist' } } : reply
/** Creates a gateway that changes the given fields of the prepared operation. */
const altering =
  (fields: object): Change =>
  (method, reply) => {
    if (method !== prepare) return reply
    const { userOperation } = reply.result as { userOperation: object }
    return { result: { userOperation: { ...userOperation, ...fields } } }
  }

describe.each(['v1.1.0', 'v2.0.0'] as const)('%s', (version) => {
  test('sends each operation with two requests', async () => {
    const { client, take, address } = await setUp({ version, isGateway: true })
    for (const total of [5n, 10n]) {
      const { hash } = await client.sendUserOperation({ uo: call(address) })
      expect(take()).toEqual({ methods: [send, prepare].sort(), depth: 2 })
      const began = performance.now()
      await client.waitForUserOperationTransaction({ hash })
      // Each long-polling request takes eight seconds, so a slow machine may need more.
      const most = 1 + Math.floor((performance.now() - began) / 8_000)
      const { methods } = take()
      expect(new Set(methods)).toEqual(new Set(['latchkey_waitForUserOperation']))
      expect(methods.length).toBeLessThanOrEqual(most)
      expect(await balanceOf(address)).toBe(total)
    }
    expect(await gateway.client.getBalance({ address })).toBe(0n)
  })
})

describe('v2.0.0', () => {
  const version = 'v2.0.0'

  test('reads the account in parallel when the chain does not name our gateway', async () => {
    const { client, take, address } = await setUp({ version })
    const first = await client.sendUserOperation({ uo: call(address) })
    expect(take()).toEqual({ methods: ['eth_call', 'eth_getCode', send, prepare].sort(), depth: 2 })
    await client.waitForUserOperationTransaction({ hash: first.hash })
    take()
    await client.sendUserOperation({ uo: call(address) })
    expect(take()).toEqual({ methods: [send, prepare].sort(), depth: 2 })
  })

  test.each([[undefined], [true]])('falls back when the service lacks the method, chain says %s', async (isGateway) => {
    const { client, take, address } = await setUp({ version, change: noMethod, isGateway })
    const first = await client.sendUserOperation({ uo: call(address) })
    // The wrong declaration costs one more request.
    expect(take()).toEqual({
      methods: ['eth_call', 'eth_getCode', combined, send, prepare].sort(),
      depth: isGateway ? 4 : 3,
    })
    await client.waitForUserOperationTransaction({ hash: first.hash })
    expect(take().methods).not.toContain('latchkey_waitForUserOperation')
    const next = await client.sendUserOperation({ uo: call(address) })
    // The deployment is checked once more, but not for later operations.
    expect(take()).toEqual({ methods: ['eth_call', 'eth_getCode', combined, send].sort(), depth: 3 })
    await client.waitForUserOperationTransaction({ hash: next.hash })
    take()
    const last = await client.sendUserOperation({ uo: call(address) })
    expect(take()).toEqual({ methods: ['eth_call', combined, send].sort(), depth: 3 })
    await client.waitForUserOperationTransaction({ hash: last.hash })
    expect(await balanceOf(address)).toBe(15n)
  })

  test.each([5, '5', -1n, 2n ** 192n])('refuses the nonce key %s before any request', async (nonceKey) => {
    const { client, take, address } = await setUp({ version, isGateway: true })
    const asked = { uo: call(address), overrides: { nonceKey: nonceKey as bigint } }
    await expect(client.sendUserOperation(asked)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
    await expect(client.buildUserOperation(asked)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
    expect(take().methods).toEqual([])
  })

  test('ignores a changed sender, call data or factory in the reply', async () => {
    const other = newKey().address
    const theirs = {
      sender: other,
      callData: '0xdeadbeef',
      signature: '0xbad0',
      initCode: `${other}00`,
      factory: other,
      factoryData: '0x00',
      eip7702Auth: '0x01',
    }
    const { client, address } = await setUp({ version, isGateway: true, change: altering(theirs) })
    const built = await client.buildUserOperation({ uo: call(address) })
    for (const [field, value] of Object.entries(theirs)) expect(built).not.toHaveProperty(field, value)
    expect(built.sender).toBe(address)
    expect(built.callData).toBe(await client.smartAccount.encodeCalls([{ to: demo, data: call(address).data }]))
    const { hash } = await client.sendUserOperation({ uo: call(address) })
    await client.waitForUserOperationTransaction({ hash })
    expect(await balanceOf(address)).toBe(5n)
  })

  test('refuses a nonce with another key and a missing paymaster', async () => {
    const lies = [
      [{ nonce: `0x1${'0'.repeat(16)}` }, 'nonce with another key'],
      [{ paymasterAndData: '0x', paymaster: undefined }, 'named no paymaster|was not an address'],
    ] as const
    for (const [lie, text] of lies) {
      const { client, take, address } = await setUp({ version, isGateway: true, change: altering(lie) })
      await expect(client.sendUserOperation({ uo: call(address) })).rejects.toMatchObject({
        code: 'RESPONSE_INVALID',
        message: expect.stringMatching(text),
      })
      expect(take().methods).toEqual([prepare])
    }
  })
})

test('sends overrides and fee options', async () => {
  const { client, address } = await setUp({
    isGateway: true,
    opts: { feeOptions: { callGasLimit: { multiplier: 1.9 } } },
  })
  const plain = await setUp({ isGateway: true })
  const usual = await plain.client.buildUserOperation({ uo: call(address) })
  const built = await client.buildUserOperation({ uo: call(address), overrides: { verificationGasLimit: 500_000n } })
  expect(built.verificationGasLimit).toBe(500_000n)
  expect(Number(built.callGasLimit) / Number(usual.callGasLimit)).toBeGreaterThan(1.5)
})

test('uses the first of several policies that allows the operation', async () => {
  await upsertPolicy(gateway.db, { projectId: 'app', id: 'closed', rules: { targets: [] } })
  const seen: unknown[] = []
  for (const isGateway of [true, false]) {
    const { client, address } = await setUp({
      isGateway,
      gasManagerConfig: { policyId: ['no such policy', 'closed', 'default'] },
    })
    const { hash } = await client.sendUserOperation({ uo: call(address) })
    await client.waitForUserOperationTransaction({ hash })
    expect(await client.checkGasSponsorshipEligibility({ uo: call(address) })).toBe(true)
    const rows = await gateway.db
      .selectFrom('sponsorships')
      .select('policy_id')
      .where('sender', '=', address.toLowerCase())
      .execute()
    seen.push(...rows)
  }
  expect(seen).toEqual([{ policy_id: 'default' }, { policy_id: 'default' }])
})

test('prepares a modular account with one request, too', async () => {
  const chain = defineLatchkeyDevChain({ id: gateway.chainId })
  const { transport, take } = through()
  const account = await toModularAccount({ client: createClient({ chain, transport }), owner: newKey() })
  const client = createSmartAccountClient({ account, chain, transport, gasManagerConfig: { policyId: 'default' } })
  const { hash } = await client.sendUserOperation({ uo: call(account.address) })
  expect(take()).toEqual({ methods: [send, prepare].sort(), depth: 2 })
  await client.waitForUserOperationTransaction({ hash })
  expect(await balanceOf(account.address)).toBe(5n)
})

describe.each(['v1.1.0', 'v2.0.0'] as const)('%s, self-paid', (version) => {
  const selfPaid = { version, isGateway: true, gasManagerConfig: undefined }
  async function funded(options: Options = {}) {
    const made = await setUp({ ...selfPaid, ...options })
    await gateway.setBalance(made.address, parseEther('1'))
    return made
  }

  test('reads the base fee while it prepares', async () => {
    const { client, take, address } = await funded()
    for (const total of [5n, 10n]) {
      const { hash } = await client.sendUserOperation({ uo: call(address) })
      expect(take()).toEqual({ methods: ['eth_getBlockByNumber', send, prepare].sort(), depth: 2 })
      await client.waitForUserOperationTransaction({ hash })
      take()
      expect(await balanceOf(address)).toBe(total)
    }
    expect(await gateway.client.getBalance({ address })).toBeLessThan(parseEther('1'))
  })

  test('does the same when the app asks for no paymaster', async () => {
    const { client, take, address } = await funded({ gasManagerConfig: { policyId: 'default' } })
    const overrides = version === 'v1.1.0' ? ({ paymasterAndData: '0x' } as const) : ({ paymasterData: '0x' } as const)
    const { hash } = await client.sendUserOperation({ uo: call(address), overrides })
    expect(take()).toEqual({ methods: ['eth_getBlockByNumber', send, prepare].sort(), depth: 2 })
    await client.waitForUserOperationTransaction({ hash })
    expect(await client.getUserOperationReceipt(hash)).toMatchObject({ success: true, paymaster: undefined })
  })

  test('caps the values that the gateway reports', async () => {
    const lies = {
      maxFeePerGas: parseGwei('1000'),
      maxPriorityFeePerGas: parseGwei('1000'),
      preVerificationGas: 10n ** 8n,
      callGasLimit: 10n ** 9n,
      verificationGasLimit: 10n ** 9n,
    }
    for (const [field, value] of Object.entries(lies)) {
      const { client, take, address } = await funded({ change: altering({ [field]: numberToHex(value) }) })
      await expect(client.sendUserOperation({ uo: call(address) })).rejects.toMatchObject({
        code: 'COST_TOO_HIGH',
        message: expect.stringContaining(field),
      })
      expect(take().methods).not.toContain(send)
    }
  })

  test('applies overrides and fee options locally', async () => {
    const feeOptions = { maxPriorityFeePerGas: { min: parseGwei('3') }, callGasLimit: { multiplier: 2 } }
    const { client, take, address } = await funded({ opts: { feeOptions } })
    const { client: plain } = await funded()
    const [built, usual] = await Promise.all([
      client.buildUserOperation({ uo: call(address), overrides: { verificationGasLimit: 900_000n } }),
      plain.buildUserOperation({ uo: call(address) }),
    ])
    expect(built.verificationGasLimit).toBe(900_000n)
    expect(built.maxPriorityFeePerGas).toBe(parseGwei('3'))
    expect(built.maxFeePerGas ?? 0n).toBeGreaterThan(parseGwei('3'))
    expect(Number(built.callGasLimit) / Number(usual.callGasLimit)).toBeGreaterThan(1.8)
    take()
    await client.buildUserOperation({ uo: call(address), overrides: { stateOverride: [] } })
    expect(take().methods).not.toContain(prepare)
  })
})
