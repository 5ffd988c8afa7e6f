import { randomBytes } from 'node:crypto'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { newOwner, type Reply, target, walletCalls } from '@latchkey/testkit/gateway/walletCalls'
import { test } from '@latchkey/testkit/worker'
import { grantPermissions, toModularAccountV2, toPermissionsContext } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import {
  type Address,
  concatHex,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  http,
  numberToHex,
  parseAbi,
} from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, expect } from 'vitest'
import { upsertProject } from '../../store/upsertProject.ts'
import { gatewayApp } from '../app.ts'

// The calls follow `grantPermissions` of `@account-kit/wallet-client` 4.88.5.

let gateway: TestGateway
let nodeUrl: string
let app: ReturnType<typeof gatewayApp>
const otherKey = randomBytes(16).toString('hex')
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
  nodeUrl = chain.nodeUrl
  app = gatewayApp({ ...gateway.deps, chains: [gateway.chain] })
  const project = { id: 'other', name: 'Other', apiKey: otherKey, redirectUrls: [], allowedOrigins: [] }
  await upsertProject(gateway.db, project)
})
afterAll(() => gateway?.close())

const { ask, requestAccount, accountWith, toCall, sign, settled } = walletCalls(() => ({ app, gateway }))
const sponsored = { paymasterService: { policyId: 'default' } }

type Session = { context: Hex; key: PrivateKeyAccount; entityId: number }

async function grant(
  owner: PrivateKeyAccount,
  from: Address,
  permissions: object[],
  more: object = {},
): Promise<Session> {
  const key = newOwner()
  const request = {
    account: from,
    chainId: numberToHex(gateway.chainId),
    key: { type: 'secp256k1', publicKey: key.address },
    permissions,
    ...more,
  }
  const { result, error } = await ask('wallet_createSession', [request])
  expect(error).toBeUndefined()
  const { data, rawPayload } = result.signatureRequest
  expect(hashTypedData(data)).toBe(rawPayload)
  const signature = await owner.signTypedData(data)
  const entityId = Number((BigInt(data.message.nonce) >> 72n) & 0xffff_ffffn)
  return { context: concatHex(['0x00', result.sessionId, signature]), key, entityId }
}

const prepareWith = (from: Address, context: Hex, calls: object[]) =>
  ask('wallet_prepareCalls', [toCall(from, { calls, capabilities: { ...sponsored, permissions: { context } } })])

async function sendWith(from: Address, { context, key }: Session, calls: object[]): Promise<Reply> {
  const prepared = await prepareWith(from, context, calls)
  if (prepared.error) return prepared
  const signed = await sign(key, prepared.result)
  return ask('wallet_sendPreparedCalls', [{ ...signed, capabilities: { permissions: { context } } }])
}

const plain = [{ to: target, value: '0x1' }]

test('installs a key with its first operation, and uses it again by session and by its id', async () => {
  const { owner, from } = await accountWith('sma-b')
  const session = await grant(owner, from, [{ type: 'root' }])
  const installed = { ...session, context: concatHex(['0x0201', numberToHex(session.entityId, { size: 4 })]) }
  for (const each of [session, session, installed]) {
    const { result, error } = await sendWith(from, each, plain)
    expect(error).toBeUndefined()
    expect(await settled(result.id)).toMatchObject({ status: 200 })
  }
})

test('takes a grant of our client without a session', async () => {
  const { owner, from } = await accountWith('sma-b')
  const chain = defineLatchkeyDevChain({ id: gateway.chainId, nodeUrl: nodeUrl })
  const client = createPublicClient({ chain, transport: http(nodeUrl) })
  const account = await toModularAccountV2({ client, owner })
  expect(account.address).toBe(from)
  const key = newOwner()
  const permissions = [
    { type: 'contract-access', data: { address: target } },
    { type: 'native-token-transfer', data: { allowance: '0x5' } },
  ] as const
  const bundler = createBundlerClient({ account, client, transport: http(nodeUrl) })
  const granted = await grantPermissions(bundler, { key: key.address, permissions })
  const session = { context: toPermissionsContext(granted), key, entityId: granted.entityId }
  for (let count = 0; count < 2; count++) {
    const { result, error } = await sendWith(from, session, plain)
    expect(error).toBeUndefined()
    expect(await settled(result.id)).toMatchObject({ status: 200 })
  }
})

test('holds a key to its permissions', async () => {
  const { owner, from } = await accountWith('sma-b')
  const session = await grant(
    owner,
    from,
    [
      { type: 'native-token-transfer', data: { allowance: '0x2' } },
      { type: 'contract-access', data: { address: target } },
    ],
    { expirySec: Math.floor(Date.now() / 1000) + 3_600 },
  )
  const { result } = await sendWith(from, session, plain)
  expect(await settled(result.id)).toMatchObject({ status: 200 })
  const stranger = '0x00000000000000000000000000000000000000bb'
  expect((await prepareWith(from, session.context, [{ to: stranger }])).error).toBeDefined()
  const own = encodeFunctionData({
    abi: parseAbi(['function updateFallbackSignerData(address fallbackSigner, bool isDisabled)']),
    functionName: 'updateFallbackSignerData',
    args: [session.key.address, false],
  })
  expect((await prepareWith(from, session.context, [{ to: from, data: own }])).error).toBeDefined()
  // The limit counts an operation's cost, so the estimate of an operation above the limit fails.
  expect((await prepareWith(from, session.context, [{ to: target, value: '0x2' }])).error).toBeDefined()
})

test('refuses a session of another account, project or key, and a signature of somebody else', async () => {
  const { owner, from } = await accountWith('sma-b')
  const session = await grant(owner, from, [{ type: 'root' }])
  const other = await accountWith('sma-b')
  const unknown = { data: { code: 'SESSION_KEY_NOT_FOUND' } }
  expect((await prepareWith(other.from, session.context, plain)).error).toMatchObject(unknown)
  await requestAccount(owner, { accountType: 'sma-b', salt: '0x0' }, otherKey)
  const calls = [toCall(from, { capabilities: { permissions: { context: session.context } } })]
  expect((await ask('wallet_prepareCalls', calls, { key: otherKey })).error).toMatchObject(unknown)
  expect((await prepareWith(from, '0x03', plain)).error).toMatchObject({ data: { code: 'REQUEST_INVALID' } })
  const forged = await grant(other.owner, from, [{ type: 'root' }])
  expect((await prepareWith(from, forged.context, plain)).error).toBeDefined()
  const { result, error } = await sendWith(from, { ...session, key: newOwner() }, plain)
  expect(result).toBeUndefined()
  expect(error?.message).toMatch(/AA24|signature/i)
})

test('refuses permissions that would change the account, and accounts without permissions', async () => {
  const { from } = await accountWith('sma-b')
  const light = await accountWith('la-v2')
  const key = { type: 'secp256k1', publicKey: newOwner().address }
  const request = { account: from, chainId: numberToHex(gateway.chainId), key }
  const owning = [{ type: 'account-functions', data: { functions: ['0x30009d52'] } }]
  expect((await ask('wallet_createSession', [{ ...request, permissions: owning }])).error).toMatchObject({
    data: { code: 'PERMISSIONS_INVALID' },
  })
  const onLight = { ...request, account: light.from, permissions: [{ type: 'root' }] }
  expect((await ask('wallet_createSession', [onLight])).error).toMatchObject({
    data: { code: 'UNSUPPORTED_ACCOUNT_TYPE' },
  })
  const toItself = await ask('wallet_prepareCalls', [toCall(from, { calls: [{ to: from, value: '0x1' }] })])
  expect(toItself.error).toMatchObject({ data: { code: 'REQUEST_INVALID' } })
  const typedData = {
    domain: { chainId: gateway.chainId, verifyingContract: from },
    types: { DeferredAction: [{ name: 'call', type: 'bytes' }] },
    primaryType: 'DeferredAction',
    message: { call: '0x' },
  }
  const signatureRequest = { type: 'eth_signTypedData_v4', data: typedData }
  const asked = [{ from, chainId: numberToHex(gateway.chainId), signatureRequest }]
  expect((await ask('wallet_prepareSign', asked)).error).toMatchObject({ data: { code: 'SIGNATURE_UNSUPPORTED' } })
})
