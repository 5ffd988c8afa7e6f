import { type RpcReply, startRpcServer } from '@latchkey/testkit/wallet/rpcServer'
import { createClient, encodeAbiParameters, encodeEventTopics, type Hex, http, padHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { entryPointAbi } from '../../../accounts/entryPoint.ts'
import { toLightAccount } from '../../../accounts/lightAccount/toLightAccount.ts'
import type { LatchkeyAccount } from '../../../accounts/types.ts'
import { latchkeyDev } from '../../../core/chains/latchkeyDev.ts'
import type { ClientOptions } from '../types.ts'
import { waitForUserOperationTransaction } from './waitForUserOperationTransaction.ts'

const hash = padHex('0xa1', { size: 32 })
const transactionHash = padHex('0xb2', { size: 32 })
const sender = '0x9EfDfCB56390eDd8b2eAE6daBC148CED3491AAf6'
const notEnough: Hex =
  '0x08c379a00000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000000f6e6f7420656e6f75676820636173680000000000000000000000000000000000'

type Reply = (method: string, count: number, params: unknown[]) => RpcReply | Promise<RpcReply>

/** Starts a gateway, or a plain node and bundler. */
async function setUp(reply: Reply, options: ClientOptions = {}, gateway = false) {
  const counts: Record<string, number> = {}
  const server = await startRpcServer(({ method, params }) => {
    counts[method] = (counts[method] ?? 0) + 1
    return reply(method, counts[method], params)
  })
  const chain = { ...latchkeyDev, custom: { latchkey: { ...latchkeyDev.custom.latchkey, gateway } } }
  const client = createClient({ chain, transport: http(server.url, { retryCount: 0 }) })
  const owner = privateKeyToAccount(padHex('0x1', { size: 32 }))
  const account: LatchkeyAccount = await toLightAccount({ client, owner })
  return { context: { account, client, options }, counts, server }
}

function receipt(success: boolean, reason?: string): RpcReply {
  const quantities = { nonce: '0x0', actualGasCost: '0x1', actualGasUsed: '0x1' }
  return {
    result: {
      userOpHash: hash,
      sender,
      success,
      reason,
      ...quantities,
      receipt: { transactionHash, blockNumber: '0x2' },
    },
  }
}

function logs(success: boolean): RpcReply {
  const paymaster = '0x0000000000000000000000000000000000000000'
  const log = (topics: unknown, data: Hex) => ({
    address: latchkeyDev.custom.latchkey.entryPoints?.['0.6.0']?.address,
    topics,
    data,
    transactionHash,
    blockHash: hash,
    blockNumber: '0x2',
    logIndex: '0x0',
    transactionIndex: '0x0',
    removed: false,
  })
  const args = { userOpHash: hash, sender, paymaster } as const
  const included = log(
    encodeEventTopics({ abi: entryPointAbi, eventName: 'UserOperationEvent', args }),
    encodeAbiParameters(
      [{ type: 'uint256' }, { type: 'bool' }, { type: 'uint256' }, { type: 'uint256' }],
      [0n, success, 1n, 1n],
    ),
  )
  const reverted = log(
    encodeEventTopics({ abi: entryPointAbi, eventName: 'UserOperationRevertReason', args }),
    encodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], [0n, notEnough]),
  )
  return { result: success ? [included] : [reverted, included] }
}

const slow = { txRetryIntervalMs: 60_000 }
const fast = { txRetryIntervalMs: 1, txWatchIntervalMs: 0 }

test('requests the receipt at once and sees the event before the next request', async () => {
  const { context, counts } = await setUp((method, count) => {
    if (method === 'eth_getUserOperationReceipt') return { result: null }
    if (method === 'eth_blockNumber') return { result: '0x2' }
    return count < 3 ? { result: [] } : logs(true)
  }, slow)
  expect(await waitForUserOperationTransaction(context, { hash })).toBe(transactionHash)
  expect(counts).toEqual({ eth_blockNumber: 1, eth_getLogs: 3, eth_getUserOperationReceipt: 1 })
})

test('uses the receipt when the node refuses logs', async () => {
  let refuseLast = () => {}
  const refused = new Promise<void>((resolve) => {
    refuseLast = resolve
  })
  const { context, counts } = await setUp(
    async (method, count) => {
      if (method === 'eth_getUserOperationReceipt') {
        if (count < 3) return { result: null }
        // On a slow machine, a receipt could end the wait before the refusal.
        await refused
        return receipt(true)
      }
      if (count === 3) refuseLast()
      return { error: { code: -32601, message: 'no such method' } }
    },
    { txRetryIntervalMs: 200, txRetryMultiplier: 1, txWatchIntervalMs: 1 },
  )
  expect(await waitForUserOperationTransaction(context, { hash })).toBe(transactionHash)
  expect(counts).toEqual({ eth_blockNumber: 3, eth_getUserOperationReceipt: 3 })
})

test('gives up after six requests without a receipt', async () => {
  const { context, counts } = await setUp(
    (_, count) => (count === 2 ? { error: { code: -32000, message: 'busy' } } : { result: null }),
    { ...fast, txRetryMultiplier: 1 },
  )
  await expect(waitForUserOperationTransaction(context, { hash })).rejects.toMatchObject({
    code: 'USER_OPERATION_TIMEOUT',
    shortMessage: `Failed to find transaction for user operation ${hash}`,
  })
  expect(counts).toEqual({ eth_getUserOperationReceipt: 6 })
})

test('polls after 2 s and then after waits growing by half', async () => {
  const { context } = await setUp(() => ({ result: null }), { txWatchIntervalMs: 0 })
  const waits: number[] = []
  const { setTimeout } = globalThis
  globalThis.setTimeout = ((act: () => void, ms = 0) => {
    // Waits have a random fraction of up to 100 ms. Timers of requests have whole numbers.
    const isWait = ms > 1_000 && !Number.isInteger(ms)
    if (isWait) waits.push(ms)
    return setTimeout(act, isWait ? 0 : ms)
  }) as typeof setTimeout
  try {
    await expect(waitForUserOperationTransaction(context, { hash })).rejects.toMatchObject({
      code: 'USER_OPERATION_TIMEOUT',
    })
  } finally {
    globalThis.setTimeout = setTimeout
  }
  expect(waits).toHaveLength(5)
  for (const [index, base] of [2_000, 3_000, 4_500, 6_750, 10_125].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(base)
    expect(waits[index]).toBeLessThan(base + 100)
  }
})

test.each([
  ['a receipt', fast, () => receipt(false, notEnough)],
  [
    'the event',
    slow,
    (method: string) => {
      if (method === 'eth_getUserOperationReceipt') return { result: null }
      return method === 'eth_blockNumber' ? { result: '0x2' } : logs(false)
    },
  ],
] as const)('reports the revert of a call by %s', async (_, options, reply) => {
  const { context } = await setUp(reply, options)
  await expect(waitForUserOperationTransaction(context, { hash })).rejects.toMatchObject({
    code: 'USER_OPERATION_REVERTED',
    reason: 'not enough cash',
    revertData: notEnough,
    transactionHash,
    userOperationHash: hash,
    shortMessage: 'The user operation was included, but its call reverted: not enough cash',
  })
})

describe('with the Latchkey gateway', () => {
  const waits = (state: string, more: object = {}): RpcReply => ({
    result: { userOpHash: hash, state, confirmed: false, receipt: null, ...more },
  })
  const included = () => waits('included', { receipt: (receipt(true) as { result: unknown }).result })

  test('sends long-polling requests one after another and no other requests', async () => {
    const asked: unknown[] = []
    const { context, counts } = await setUp(
      (_, count, params) => {
        asked.push(params)
        return count < 3 ? waits('seen') : included()
      },
      slow,
      true,
    )
    expect(await waitForUserOperationTransaction(context, { hash })).toBe(transactionHash)
    expect(counts).toEqual({ latchkey_waitForUserOperation: 3 })
    expect(asked[0]).toEqual([hash, { timeoutMs: 8000 }])
  })

  test('finds an operation that another service sent, by its event', async () => {
    const { context, counts } = await setUp(
      (method) => {
        if (method === 'eth_getLogs') return logs(true)
        if (method === 'eth_blockNumber') return { result: '0x2' }
        return { error: { code: -32602, message: 'not known here', data: { code: 'NOT_FOUND' } } }
      },
      slow,
      true,
    )
    expect(await waitForUserOperationTransaction(context, { hash })).toBe(transactionHash)
    expect(counts.latchkey_waitForUserOperation).toBe(1)
  })

  test('keeps waiting when the gateway cannot hold requests', async () => {
    const { context } = await setUp(
      (method) => {
        if (method === 'latchkey_waitForUserOperation') return { error: { code: -32005, message: 'too many' } }
        return method === 'eth_blockNumber' ? { result: '0x2' } : logs(true)
      },
      slow,
      true,
    )
    expect(await waitForUserOperationTransaction(context, { hash })).toBe(transactionHash)
  })

  test.each([
    ['replaced', { replacedBy: transactionHash }, 'USER_OPERATION_REPLACED', transactionHash],
    ['dropped', {}, 'USER_OPERATION_DROPPED', 'send it again'],
    ['failed', { failure: 'AA23' }, 'USER_OPERATION_DROPPED', 'AA23'],
  ])('reports a %s operation', async (state, more, code, text) => {
    const { context } = await setUp(() => waits(state, more), slow, true)
    const error = await waitForUserOperationTransaction(context, { hash }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code })
    expect(String(error)).toContain(text)
  })
})

test('refuses the receipt of another operation', async () => {
  const other = () => ({ result: { ...(receipt(true) as { result: object }).result, userOpHash: transactionHash } })
  const { context } = await setUp(other, { ...fast, txMaxRetries: 1 })
  await expect(waitForUserOperationTransaction(context, { hash })).rejects.toMatchObject({
    code: 'USER_OPERATION_TIMEOUT',
    message: expect.stringContaining('another operation'),
  })
})

test.each([true, false])('ends the wait and its requests by the signal, gateway %s', async (gateway) => {
  const stop = new AbortController()
  const { context, counts } = await setUp(
    () => {
      stop.abort(new TypeError('left the page'))
      return new Promise<RpcReply>(() => {})
    },
    slow,
    gateway,
  )
  const waiting = waitForUserOperationTransaction(context, { hash, signal: stop.signal })
  await expect(waiting).rejects.toMatchObject({ code: 'ABORTED', details: 'left the page' })
  const before = { ...counts }
  await expect(waitForUserOperationTransaction(context, { hash, signal: stop.signal })).rejects.toMatchObject({
    code: 'ABORTED',
  })
  expect(counts).toEqual(before)
})
