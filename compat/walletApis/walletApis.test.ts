import * as schemas from '@alchemy/wallet-api-types/rpc'
import { alchemyWalletTransport, createSmartWalletClient } from '@alchemy/wallet-apis'
import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { custodyAccount } from '@latchkey/testkit/signer/custodyAccount'
import { defineChain, type Hex, type LocalAccount, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'
import { upsertPolicy } from '../../packages/server/src/store/ledger/policies.ts'

// Connects the vendor's current client, which has no built-in signer, to Latchkey's wallet API.

const target = '0x00000000000000000000000000000000000000aa'
/** Policy id as a UUID, the only format that this client accepts. */
const policyId = 'f3b7e0c2-6a1d-4c58-9b0e-2d4f6a8c1e35'
const pollingInterval = 50
const { semiModular7702: delegate } = devAddresses.modularAccountV2

let gateway: TestGateway
let custody: TestCustody
let server: Awaited<ReturnType<TestGateway['serve']>>
beforeAll(async () => {
  ;[gateway, custody] = await Promise.all([startTestGateway(), startTestCustody()])
  await upsertPolicy(gateway.db, { projectId: 'app', id: policyId })
  server = await gateway.serve()
})
afterAll(async () => {
  await server?.close()
  await gateway?.close()
  await custody?.close()
})

const codeOf = (address: Hex) => gateway.client.getCode({ address })
const delegated = `0xef0100${delegate.slice(2).toLowerCase()}`

/** Methods that were called, and whose responses the client's schema accepted. */
const checked = new Set<string>()

type Schema = { shape: { ReturnType: { parse(value: unknown): unknown } } }

async function fetchChecked(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init)
  const { method } = JSON.parse(String(init?.body))
  const { result } = await response.clone().json()
  if (result !== undefined && Object.hasOwn(schemas, method)) {
    const schema = (schemas as unknown as Record<string, Schema>)[method]
    schema?.shape.ReturnType.parse(result)
    checked.add(method)
  }
  return response
}

function connect(signer: LocalAccount, account?: Hex, paymaster: { policyId?: string } = { policyId }) {
  const url = `${new URL(server.url).origin}/v2`
  const chain = defineChain({
    id: gateway.chainId,
    name: 'Test',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const transport = alchemyWalletTransport({ url, apiKey: gateway.apiKey, fetchFn: fetchChecked })
  return createSmartWalletClient({ chain, transport, signer, paymaster, ...(account && { account }) })
}

const signers: [string, () => Promise<LocalAccount> | LocalAccount][] = [
  ['a local key', () => privateKeyToAccount(generatePrivateKey())],
  ['the embedded signer’s account', () => custodyAccount(custody)],
]

test.each(signers)('runs the first example of the client with %s: EIP-7702, sponsored', async (_, create) => {
  const signer = await create()
  const client = connect(signer)
  expect(await client.signMessage({ message: 'hello' })).toMatch(/^0x[0-9a-f]{130}$/)
  for (const isFirst of [true, false]) {
    const calls = [{ to: target, value: 0n }] as const
    const prepared = await client.prepareCalls({ calls: [...calls] })
    expect(prepared.type).toBe(isFirst ? 'array' : 'user-operation-v070')
    const { id } = await client.sendCalls({ calls: [...calls] })
    const status = await client.waitForCallsStatus({ id, pollingInterval })
    expect(status).toMatchObject({ status: 'success', statusCode: 200, receipts: [{ status: 'success' }] })
    expect(await codeOf(signer.address)).toBe(delegated)
  }
  const address = signer.address
  const signature = await client.signMessage({ message: 'hello' })
  expect(await gateway.client.verifyMessage({ address, message: 'hello', signature })).toBe(true)
  const typedData = {
    domain: { name: 'Shop', chainId: gateway.chainId },
    types: { Order: [{ name: 'item', type: 'string' }] },
    primaryType: 'Order',
    message: { item: 'tea' },
  } as const
  const typed = await client.signTypedData(typedData)
  expect(await gateway.client.verifyTypedData({ address, ...typedData, signature: typed })).toBe(true)
})

test('sends calls that the signer’s address pays for itself', async () => {
  const signer = privateKeyToAccount(generatePrivateKey())
  await gateway.setBalance(signer.address, parseEther('1'))
  const client = connect(signer, undefined, {})
  const { id } = await client.sendCalls({ calls: [{ to: target, value: 7n }] })
  expect(await client.waitForCallsStatus({ id, pollingInterval })).toMatchObject({ status: 'success' })
})

test.each(['sma-b', 'la-v2', 'la-v2-multi-owner', 'la-v1.0.1', 'la-v1.1.0', 'ma-v1-multi-owner', '7702'] as const)(
  'requests an account of the type %s and sends from it',
  async (accountType) => {
    const signer = privateKeyToAccount(generatePrivateKey())
    const account = await connect(signer).requestAccount({ creationHint: { accountType } })
    if (accountType === '7702') expect(account.address).toBe(signer.address)
    const client = connect(signer, account.address)
    const { id } = await client.sendCalls({ calls: [{ to: target }, { to: target, data: '0x12' }] })
    expect(await client.waitForCallsStatus({ id, pollingInterval })).toMatchObject({ status: 'success' })
    expect(await connect(signer).requestAccount({ accountAddress: account.address })).toEqual(account)
    const listed = accountType === '7702' ? [] : [{ accountAddress: account.address }]
    expect((await client.listAccounts({})).accounts).toMatchObject(listed)
  },
)

test.each(['sma-b', '7702'] as const)(
  'grants a key permissions over an account of the type %s',
  async (accountType) => {
    const signer = privateKeyToAccount(generatePrivateKey())
    const { address } = await connect(signer).requestAccount({ creationHint: { accountType } })
    const owner = connect(signer, address)
    const { id } = await owner.sendCalls({ calls: [{ to: target }] })
    await owner.waitForCallsStatus({ id, pollingInterval })
    const key = privateKeyToAccount(generatePrivateKey())
    const permissions = await owner.grantPermissions({
      expirySec: Math.floor(Date.now() / 1_000) + 3_600,
      key: { type: 'secp256k1', publicKey: key.address },
      permissions: [{ type: 'contract-access', data: { address: target } }],
    })
    const session = connect(key, address)
    const send = (to: Hex) => session.sendCalls({ calls: [{ to, data: '0x12345678' }], capabilities: { permissions } })
    for (let count = 0; count < 2; count++)
      expect(await session.waitForCallsStatus({ ...(await send(target)), pollingInterval })).toMatchObject({
        status: 'success',
      })
    await expect(send('0x00000000000000000000000000000000000000bb')).rejects.toThrow(/AddressNotAllowed|AA23/)
  },
)

test('refuses a delegation that ended elsewhere, foreign code, and what is not served', async () => {
  const signer = privateKeyToAccount(generatePrivateKey())
  const client = connect(signer)
  await expect(client.undelegateAccount()).rejects.toThrow(/undelegate/)
  const sweeper = privateKeyToAccount(generatePrivateKey()).address
  await gateway.request('anvil_setCode', [signer.address, `0xef0100${sweeper.slice(2).toLowerCase()}`])
  await expect(client.sendCalls({ calls: [{ to: target }] })).rejects.toThrow(/delegates to code of another account/)
})

test('names its capabilities', async () => {
  const client = connect(privateKeyToAccount(generatePrivateKey()))
  expect(await client.getCapabilities()).toMatchObject({
    atomic: { status: 'supported' },
    paymaster: { supported: true },
  })
})

test('answered every method of the client in its own schema', () => {
  const served = Object.keys(schemas).filter((name) => name.startsWith('wallet_'))
  // Latchkey does not support swaps.
  const left = ['wallet_getCrossChainStatus_v0', 'wallet_requestQuote_v0']
  expect([...checked, ...left].sort()).toEqual(served.sort())
})
