import { newKey } from '@latchkey/testkit/accounts/setChain'
import { memoryPlatform } from '@latchkey/testkit/wallet/memoryPlatform'
import { recordedReplies } from '@latchkey/testkit/wallet/recordedClient'
import { startRpcServer } from '@latchkey/testkit/wallet/rpcServer'
// To migrate, an app changes only this import.
import {
  AlchemySigner,
  AlchemySignerStatus,
  alchemyGasManagerMiddleware,
  createAlchemyPublicRpcClient,
  createAlchemySmartAccountClientFromExisting,
  createBundlerClientFromExisting,
  createLightAccount,
  createLightAccountAlchemyClient,
  defineAlchemyChain,
  LocalAccountSigner,
  type SmartAccountSigner,
  WalletClientSigner,
} from 'latchkey/compat'
import { createWalletClient, custom, http, verifyMessage, verifyTypedData } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import { expect, test } from 'vitest'

async function setUp() {
  const server = await startRpcServer(({ method }) => ({ result: recordedReplies[method] ?? null }))
  const chain = defineAlchemyChain({ chain: sepolia, rpcBaseUrl: `${server.url}/v2` })
  const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
  return { server, chain, signer, sent: () => server.calls.find(({ method }) => method === 'eth_sendUserOperation') }
}

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const

test('creates an account with its sponsored client in one call', async () => {
  const { chain, signer, sent } = await setUp()
  const client = await createLightAccountAlchemyClient({
    apiKey: 'some-key',
    chain,
    signer,
    gasManagerConfig: { policyId: 'POLICY' },
    opts: { txMaxRetries: 1 },
  })
  const { hash } = await client.sendUserOperation({ uo })
  expect(hash).toMatch(/^0x/)
  expect(sent()?.path).toBe('/v2/some-key')
  expect(client.transferOwnership).toBeTypeOf('function')
  // The call that reads an account's address always reverts, so retries would be useless.
  expect(client.account.client).toMatchObject({ transport: { retryCount: 0 } })
  await expect(client.getAddress()).resolves.toBe(client.account.address)
})

test('passes messages to a custom signer as the published SDK does', async () => {
  const local = LocalAccountSigner.mnemonicToAccountSigner(
    'test test test test test test test test test test test junk',
  )
  const seen: unknown[] = []
  const signer: SmartAccountSigner = {
    signerType: 'my-signer',
    inner: local.inner,
    getAddress: () => local.getAddress(),
    signMessage: (message) => {
      seen.push(message)
      return local.signMessage(message)
    },
    signTypedData: (definition) => local.signTypedData(definition),
  }
  const { chain } = await setUp()
  const transport = custom({ request: async () => '0x' })
  const account = await createLightAccount({ chain, transport, signer, version: 'v1.0.1' })
  const signature = await account.signMessage({ message: 'tea' })
  expect(seen).toEqual(['tea'])
  expect(await verifyMessage({ address: await local.getAddress(), message: 'tea', signature })).toBe(true)
})

test('creates a client from an existing one, sponsored by the middleware', async () => {
  const { chain, signer, server, sent } = await setUp()
  const rpc = createAlchemyPublicRpcClient({ chain, connectionConfig: { apiKey: 'one-key' } })
  const account = await createLightAccount({ transport: http(`${server.url}/v2/k`), chain, signer })
  const sponsored = alchemyGasManagerMiddleware(rpc, { policyId: 'POLICY' })
  const client = createAlchemySmartAccountClientFromExisting({ client: rpc, account, ...sponsored })
  await client.sendUserOperation({ uo })
  expect(sent()).toMatchObject({
    path: '/v2/one-key',
    params: [{ paymasterAndData: expect.stringMatching(/^0x4f/) }, expect.anything()],
  })
  await createBundlerClientFromExisting(rpc).getSupportedEntryPoints()
  expect(server.calls.at(-1)).toMatchObject({ path: '/v2/one-key', method: 'eth_supportedEntryPoints' })
})

test('constructs the embedded signer by `new AlchemySigner`', () => {
  const parameters = { client: { connection: { apiKey: 'key' }, rootOrgId: 'org' }, platform: memoryPlatform() }
  const signer = new AlchemySigner(parameters)
  expect([signer.status, signer.signerType]).toEqual([AlchemySignerStatus.INITIALIZING, 'alchemy-signer'])
  expect(signer).toBeInstanceOf(AlchemySigner)
  expect({}).not.toBeInstanceOf(AlchemySigner)
  const owner: SmartAccountSigner['getAddress'] = signer.getAddress
  expect(owner).toBeTypeOf('function')
  signer.destroy()
})

test('signs by a wallet client with its own account or the first one it lists', async () => {
  const key = newKey()
  const local = new WalletClientSigner(
    createWalletClient({ account: key, transport: custom({ request: never }) }),
    'mine',
  )
  const typed = { domain: {}, types: { Note: [{ name: 'text', type: 'string' }] }, primaryType: 'Note' } as const
  const definition = { ...typed, message: { text: 'tea' } }
  const signatures = [await local.signMessage('tea'), await local.signTypedData(definition)] as const
  expect(await verifyMessage({ address: key.address, message: 'tea', signature: signatures[0] })).toBe(true)
  expect(await verifyTypedData({ address: key.address, ...definition, signature: signatures[1] })).toBe(true)

  const asked: unknown[] = []
  const remote = (accounts: string[]) => {
    const request = async ({ method, params }: { method: string; params?: unknown }) => {
      asked.push([method, params])
      return method === 'eth_accounts' ? accounts : '0x00'
    }
    return new WalletClientSigner(createWalletClient({ transport: custom({ request }) }), 'json-rpc')
  }
  expect(await remote([key.address.toLowerCase()]).signMessage('tea')).toBe('0x00')
  expect(asked.at(-1)).toEqual(['personal_sign', ['0x746561', key.address]])
  await expect(remote([]).getAddress()).rejects.toMatchObject({ code: 'ACCOUNT_NOT_FOUND' })
})

const never = () => Promise.reject(new TypeError('a key of its own needs no wallet'))
