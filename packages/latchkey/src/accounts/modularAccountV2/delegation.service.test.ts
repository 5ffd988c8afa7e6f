import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { mint } from '@latchkey/testkit/demoToken'
import { gatewayTransport } from '@latchkey/testkit/gateway/gatewayTransport'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { type Address, custom, type Hex, hashMessage, zeroAddress } from 'viem'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { createSmartAccountClient } from '../../wallet/client/createSmartAccountClient.ts'
import { undelegate } from '../actions/undelegate.ts'
import { readIsValidSignature } from '../reads/readIsValidSignature.ts'
import { modularAccountV2Actions } from './modularAccountV2Actions.ts'
import { toModularAccountV2 } from './toModularAccountV2.ts'

const stage = setChain()
let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

const target = '0x00000000000000000000000000000000000000aa'
const { semiModular7702: first, semiModular7702V1_1: second } = devAddresses.modularAccountV2
const codeOf = (delegate: string) => `0xef0100${delegate.slice(2).toLowerCase()}` as Hex
const open = (owner = newKey(), delegate?: 'v1.1.0') =>
  toModularAccountV2({ client: stage.reader, owner, mode: '7702', delegate })
const setDelegate = (address: Address, delegate: Address) =>
  stage.tester.setCode({ address, bytecode: codeOf(delegate) })

const connections = {
  'sponsored through the gateway': () => ({
    transport: gatewayTransport(gateway),
    gasManagerConfig: { policyId: 'default' },
  }),
  'paid by the account through the gateway': () => ({ transport: gatewayTransport(gateway) }),
  'paid by the account through node and bundler': () => ({ transport: stage.transport }),
}

test.each(Object.entries(connections))('sends from the owner’s own address, %s', async (name, connect) => {
  const owner = newKey()
  const account = await open(owner)
  expect(account.address).toBe(owner.address)
  expect(await account.isDeployed()).toBe(false)
  if (!name.startsWith('sponsored')) await stage.funded(account)
  const client = createSmartAccountClient({ account, chain: stage.chain, ...connect() })
  for (const amount of [5n, 6n]) {
    const { data = '0x', to } = mint(account.address, amount)
    const { hash, request } = await client.sendUserOperation({ uo: { target: to, data } })
    expect(request.eip7702Auth?.address).toBe(amount === 5n ? first : undefined)
    await client.waitForUserOperationTransaction({ hash, request })
    expect(await stage.reader.getCode({ address: account.address })).toBe(codeOf(first))
  }
  expect(await account.isDeployed()).toBe(true)
  expect(await stage.balanceOf(account.address)).toBe(11n)
})

test('replaces a first operation with the authorization that was signed for it', async () => {
  const account = await stage.funded(await open())
  const inner = stage.transport({ chain: stage.chain })
  let isHeld = true
  const transport = custom(
    {
      // Drops the first operation before it reaches the bundler.
      request: async ({ method, params }) =>
        isHeld && method === 'eth_sendUserOperation'
          ? `0x${'00'.repeat(32)}`
          : inner.request({ method, params } as never),
    },
    { retryCount: 0 },
  )
  const client = createSmartAccountClient({ account, chain: stage.chain, transport })
  const { request } = await client.sendUserOperation({ uo: { target, data: '0x' } })
  isHeld = false
  const replaced = await client.dropAndReplaceUserOperation({ uoToDrop: request })
  expect(replaced.request.eip7702Auth).toEqual(request.eip7702Auth)
  await client.waitForUserOperationTransaction(replaced)
  expect(await stage.reader.getCode({ address: account.address })).toBe(codeOf(first))
})

test('sends through viem’s bundler client with an authorization of the account', async () => {
  const owner = newKey()
  const account = await stage.funded(await open(owner))
  const bundler = stage.createBundler(account)
  const nonce = await stage.reader.getTransactionCount(owner)
  const authorization = await owner.signAuthorization({ address: first, chainId: stage.chainId, nonce })
  for (const more of [{ authorization }, {}]) {
    const hash = await bundler.sendUserOperation({ calls: [{ to: target, value: 1n }], ...more })
    expect(await bundler.waitForUserOperationReceipt({ hash })).toMatchObject({ success: true })
  }
})

test('signs messages that the address accepts, before and after its delegation', async () => {
  const account = await open()
  const { address } = account
  const typedData = {
    domain: { name: 'Shop', chainId: stage.chainId },
    types: { Order: [{ name: 'item', type: 'string' }] },
    primaryType: 'Order',
    message: { item: 'tea' },
  } as const
  const check = async () => {
    const signature = await account.signMessageWith6492({ message: 'hello' })
    expect(await stage.reader.verifyMessage({ address, message: 'hello', signature })).toBe(true)
    const typed = await account.signTypedDataWith6492(typedData)
    expect(await stage.reader.verifyTypedData({ address, ...typedData, signature: typed })).toBe(true)
  }
  await check()
  for (const delegate of [first, second]) {
    await setDelegate(address, delegate)
    await check()
    const signature = await account.signMessage({ message: 'hello' })
    expect(await readIsValidSignature(stage.reader, { address, hash: hashMessage('hello'), signature })).toBe(true)
  }
})

test('replaces an earlier release of the code with the next operation, and never a later one', async () => {
  const owner = newKey()
  const old = await stage.funded(await open(owner))
  await setDelegate(old.address, first)
  const account = await open(owner, 'v1.1.0')
  expect(await account.isDeployed()).toBe(false)
  const client = createSmartAccountClient({ account, chain: stage.chain, transport: stage.transport })
  const { hash, request } = await client.sendUserOperation({ uo: { target, data: '0x' } })
  await client.waitForUserOperationTransaction({ hash, request })
  expect(await stage.reader.getCode({ address: account.address })).toBe(codeOf(second))

  expect(await old.isDeployed()).toBe(true)
  const later = createSmartAccountClient({ account: old, chain: stage.chain, transport: stage.transport })
  const sent = await later.sendUserOperation({ uo: { target, data: '0x' } })
  expect(sent.request.eip7702Auth).toBeUndefined()
  await later.waitForUserOperationTransaction(sent)
  expect(await stage.reader.getCode({ address: account.address })).toBe(codeOf(second))
})

test('refuses an address that delegates to other code, and signs nothing', async () => {
  const signed: string[] = []
  const key = newKey()
  const note = (name: 'signMessage' | 'signAuthorization') =>
    ((...parameters: Parameters<typeof key.signMessage>) => {
      signed.push(name)
      return (key[name] as typeof key.signMessage)(...parameters)
    }) as never
  const owner = { ...key, signMessage: note('signMessage'), signAuthorization: note('signAuthorization') }
  const account = await stage.funded(await open(owner))
  const sweeper = newKey().address
  await setDelegate(account.address, sweeper)
  const client = createSmartAccountClient({ account, chain: stage.chain, transport: stage.transport })
  const uo = { target, data: '0x' } as const
  await expect(client.sendUserOperation({ uo })).rejects.toMatchObject({
    code: 'DELEGATE_UNKNOWN',
    message: expect.stringMatching(new RegExp(`${sweeper}[^]*undelegate`)),
  })
  await expect(account.signUserOperationHash(hashMessage('x'))).rejects.toMatchObject({ code: 'DELEGATE_UNKNOWN' })
  expect(await account.isDeployed()).toBe(false)
  expect(signed).toEqual([])
})

test.each([
  ['before the first operation', undefined],
  ['of a delegated address', first],
] as const)('refuses to sign when the delegate changed after the preparation, %s', async (_, delegate) => {
  const account = await stage.funded(await open())
  if (delegate) await setDelegate(account.address, delegate)
  const client = createSmartAccountClient({ account, chain: stage.chain, transport: stage.transport })
  const uoStruct = await client.buildUserOperation({ uo: { target, data: '0x' } })
  await setDelegate(account.address, newKey().address)
  await expect(client.signUserOperation({ uoStruct })).rejects.toMatchObject({ code: 'DELEGATE_UNKNOWN' })
})

test('ends a delegation to any code, after which the account delegates again', async () => {
  const owner = newKey()
  const account = await stage.funded(await open(owner))
  const bundler = createSmartAccountClient({ account, chain: stage.chain, transport: stage.transport })
  for (const delegate of [newKey().address, first]) {
    await setDelegate(account.address, delegate)
    const hash = await undelegate({ client: stage.reader, owner })
    expect(await stage.reader.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' })
    expect(await stage.reader.getCode(owner)).toBeUndefined()
    const sent = await bundler.sendUserOperation({ uo: { target, data: '0x' } })
    await bundler.waitForUserOperationTransaction(sent)
    expect(await stage.reader.getCode(owner)).toBe(codeOf(first))
  }
})

test('lets a key with permissions act for the address', async () => {
  const account = await stage.funded(await open())
  const client = stage.createBundler(account).extend(modularAccountV2Actions)
  await setDelegate(account.address, first)
  const key = newKey()
  const grant = await client.grantPermissions({
    key: key.address,
    permissions: [{ type: 'contract-access', data: { address: target } }],
  })
  const session = await toModularAccountV2({ client: stage.reader, owner: key, grant })
  expect(session.address).toBe(account.address)
  const bundler = stage.createBundler(session)
  const hash = await bundler.sendUserOperation({ calls: [{ to: target, value: 1n }] })
  expect(await bundler.waitForUserOperationReceipt({ hash })).toMatchObject({ success: true })
  await expect(session.delegation?.signAuthorization()).rejects.toMatchObject({ code: 'SIGNATURE_UNSUPPORTED' })
})

test('delegates to no address without code', async () => {
  const account = await open()
  const code = await stage.reader.getCode({ address: second })
  await stage.tester.setCode({ address: second, bytecode: '0x' })
  try {
    const later = await open(newKey(), 'v1.1.0')
    await expect(later.delegation?.signAuthorization()).rejects.toMatchObject({ code: 'CHAIN_UNSUPPORTED' })
  } finally {
    await stage.tester.setCode({ address: second, bytecode: code ?? '0x' })
  }
  expect(await account.getImplementationAddress()).toBe(zeroAddress)
})
