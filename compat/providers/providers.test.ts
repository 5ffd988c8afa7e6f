import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { BrowserProvider, Contract, hexlify, toUtf8Bytes } from 'ethers'
import { createProvider, createSmartAccountClient, memoryOutbox, type WalletProvider } from 'latchkey'
import { toLightAccount } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { createPublicClient, createWalletClient, custom, type Hex, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'

// Unmodified libraries from npm receive only the provider.

const { demo } = devAddresses
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
])
const typedData = {
  types: { Order: [{ name: 'item', type: 'string' }] },
  primaryType: 'Order',
  message: { item: 'tea' },
} as const

let gateway: TestGateway
let url: string
let server: Awaited<ReturnType<TestGateway['serve']>>
beforeAll(async () => {
  gateway = await startTestGateway()
  server = await gateway.serve()
  url = server.url
})
afterAll(async () => {
  await server?.close()
  await gateway?.close()
})

async function setUp(version: 'v1.1.0' | 'v2.0.0' = 'v1.1.0') {
  const chain = defineLatchkeyDevChain({ id: gateway.chainId, nodeUrl: url })
  const reader = createPublicClient({ chain, transport: http(url), pollingInterval: 50 })
  const account = await toLightAccount({ client: reader, owner: privateKeyToAccount(generatePrivateKey()), version })
  const gasManagerConfig = { policyId: 'default' }
  const outbox = { store: memoryOutbox() }
  const client = createSmartAccountClient({ account, chain, connection: { rpcUrl: url }, gasManagerConfig, outbox })
  const provider = createProvider({ client })
  const { address } = account
  const balance = () => reader.readContract({ address: demo, abi, functionName: 'balanceOf', args: [address] })
  return { chain, reader, client, provider, address, balance }
}

const ofProvider = (provider: WalletProvider) => custom(provider, { retryCount: 0 })

test.each(['v1.1.0', 'v2.0.0'] as const)('serves viem with a LightAccount %s', async (version) => {
  const { chain, client, provider, reader, address, balance } = await setUp(version)
  const wallet = createWalletClient({ chain, account: address, transport: ofProvider(provider) })
  expect(await wallet.requestAddresses()).toEqual([address])
  expect(await wallet.getChainId()).toBe(chain.id)

  const message = 'undeployed'
  expect(await reader.verifyMessage({ address, message, signature: await wallet.signMessage({ message }) })).toBe(true)
  const hash = await wallet.writeContract({ address: demo, abi, functionName: 'mint', args: [address, 5n] })
  expect((await reader.getTransactionReceipt({ hash })).status).toBe('success')
  expect(await balance()).toBe(5n)

  const raw = { raw: '0x00ff' } as const
  const signature = await wallet.signMessage({ message: raw })
  expect(await reader.verifyMessage({ address, message: raw, signature })).toBe(true)
  const domain = { name: 'Shop', chainId: chain.id }
  const signed = await wallet.signTypedData({ ...typedData, domain })
  expect(await reader.verifyTypedData({ ...typedData, domain, address, signature: signed })).toBe(true)

  const { id } = await wallet.sendCalls({
    calls: [1n, 2n].map((value) => ({ to: demo, abi, functionName: 'mint', args: [address, value] })),
    forceAtomic: true,
  })
  const { status, atomic, receipts } = await wallet.waitForCallsStatus({ id, pollingInterval: 50 })
  expect({ status, atomic, receipt: receipts?.[0]?.status }).toEqual({
    status: 'success',
    atomic: true,
    receipt: 'success',
  })
  expect(await balance()).toBe(8n)

  // The client itself is also a provider, as in the published SDK.
  const direct = createWalletClient({ chain, account: address, transport: custom(client, { retryCount: 0 }) })
  const minted = await direct.writeContract({ address: demo, abi, functionName: 'mint', args: [address, 1n] })
  expect((await reader.getTransactionReceipt({ hash: minted })).status).toBe('success')
  expect(await balance()).toBe(9n)
})

test('serves ethers', async () => {
  const { provider, reader, address, balance } = await setUp()
  const browser = new BrowserProvider(provider, 'any', { pollingInterval: 50 })
  const signer = await browser.getSigner()
  expect(await signer.getAddress()).toBe(address)
  const message = 'first'
  const signature = (await signer.signMessage(message)) as Hex
  expect(await reader.verifyMessage({ address, message, signature })).toBe(true)

  const token = new Contract(demo, ['function mint(address to, uint256 amount)'], signer)
  for (const amount of [3n, 4n]) {
    const sent = await token.getFunction('mint').send(address, amount)
    expect((await sent.wait())?.status).toBe(1)
  }
  expect(await balance()).toBe(7n)
  // Because of the outbox, two equal sends are two operations.
  const pair = await Promise.all([token, token].map((each) => each.getFunction('mint').send(address, 5n)))
  for (const sent of pair) expect((await sent.wait())?.status).toBe(1)
  expect(await balance()).toBe(17n)
  const domain = { name: 'Shop', chainId: gateway.chainId }
  const signed = (await signer.signTypedData(domain, { Order: [...typedData.types.Order] }, typedData.message)) as Hex
  expect(await reader.verifyTypedData({ ...typedData, domain, address, signature: signed })).toBe(true)
  const bytes = hexlify(toUtf8Bytes('bytes'))
  await expect(browser.send('eth_sign', [demo, bytes])).rejects.toMatchObject({
    error: { code: 4100, message: 'cannot sign for address that is not the current account' },
  })
})
