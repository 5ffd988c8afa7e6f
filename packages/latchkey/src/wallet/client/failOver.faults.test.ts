import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { type RpcReply, startRpcServer } from '@latchkey/testkit/wallet/rpcServer'
import { createPublicClient, http, padHex, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toLightAccount } from '../../accounts/lightAccount/toLightAccount.ts'
import { defineLatchkeyDevChain } from '../../core/chains/latchkeyDev.ts'
import { memoryOutbox } from '../../core/outbox/memoryOutbox.ts'
import { createSmartAccountClient } from './createSmartAccountClient.ts'

let devnet: TestChain
beforeAll(async () => {
  devnet = await startTestChain({ bundler: true })
})
afterAll(() => devnet?.close())

/** Starts a proxy for the devnet's bundler. Calls without a `reply` are forwarded. */
async function startBundler(reply: (method: string, params: unknown[]) => RpcReply | undefined) {
  const server = await startRpcServer(async ({ method, params }) => {
    const own = reply(method, params)
    if (own) return own
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    return (await fetch(devnet.bundlerUrl, { method: 'POST', headers, body })).json()
  })
  return server
}

async function setUp(version: 'v1.1.0' | 'v2.0.0', bundlerUrl: readonly string[]) {
  const chain = defineLatchkeyDevChain({ id: devnet.chainId, nodeUrl: devnet.nodeUrl })
  const reader = createPublicClient({ chain, transport: http(devnet.nodeUrl) })
  const owner = privateKeyToAccount(generatePrivateKey())
  const account = await toLightAccount({ client: reader, owner, version })
  await devnet.request('anvil_setBalance', [account.address, toHex(parseEther('1'))])
  const outbox = { store: memoryOutbox() }
  const client = createSmartAccountClient({ account, chain, rpcUrl: devnet.nodeUrl, bundlerUrl, jwt: 'secret', outbox })
  const target = privateKeyToAccount(generatePrivateKey()).address
  return {
    client,
    uo: { target, data: '0x', value: 4n } as const,
    balance: () => reader.getBalance({ address: target }),
  }
}

test.each(['v1.1.0', 'v2.0.0'] as const)('sends the same bytes to the second bundler (%s)', async (version) => {
  const down = await startBundler(() => ({ status: 503 }))
  const up = await startBundler(() => undefined)
  const { client, uo, balance } = await setUp(version, [down.url, up.url])
  const { hash } = await client.sendUserOperation({ uo })
  await client.waitForUserOperationTransaction({ hash })
  expect(await balance()).toBe(4n)
  const sent = (server: typeof up) => server.calls.filter(({ method }) => method === 'eth_sendUserOperation')
  expect(sent(down).map(({ params }) => params)).toEqual(sent(up).map(({ params }) => params))
  // Bundlers must never receive the service's token.
  for (const { headers } of [...down.calls, ...up.calls]) expect(headers.authorization).toBeUndefined()
})

test('sends nothing to other bundlers after a refusal', async () => {
  const strict = await startBundler((method) =>
    method === 'eth_sendUserOperation' ? { error: { code: -32500, message: 'AA24 signature error' } } : undefined,
  )
  const other = await startBundler(() => undefined)
  const { client, uo } = await setUp('v2.0.0', [strict.url, other.url])
  await expect(client.sendUserOperation({ uo })).rejects.toMatchObject({ failure: 'AA24' })
  expect(other.calls.filter(({ method }) => method === 'eth_sendUserOperation')).toEqual([])
  expect((await client.listOperations())[0]).toMatchObject({ state: 'refused' })
})

test('ignores a false receipt of a bundler', async () => {
  let isLie = true
  const other = padHex('0x1', { size: 32 })
  const liar = await startBundler((method, [hash]) => {
    if (method === 'eth_sendUserOperation') return undefined
    if (method !== 'eth_getUserOperationReceipt' || !isLie) return undefined
    const receipt = { transactionHash: other, blockNumber: '0x1' }
    const quantities = { nonce: '0x0', actualGasCost: '0x1', actualGasUsed: '0x1' }
    const sender = padHex('0x2', { size: 20 })
    return { result: { userOpHash: hash, sender, success: true, ...quantities, receipt } }
  })
  const { client } = await setUp('v2.0.0', [liar.url])
  const hash = padHex('0x7', { size: 32 })
  const retries = { maxRetries: 1, intervalMs: 1 }
  await expect(client.waitForUserOperationTransaction({ hash, retries })).rejects.toMatchObject({
    code: 'USER_OPERATION_TIMEOUT',
    metaMessages: expect.arrayContaining([expect.stringContaining('not confirmed by the node')]),
  })
  isLie = false
})
