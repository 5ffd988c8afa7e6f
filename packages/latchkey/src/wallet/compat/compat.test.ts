import { newKey } from '@latchkey/testkit/accounts/setChain'
import { recordedReplies } from '@latchkey/testkit/wallet/recordedClient'
import { startRpcServer } from '@latchkey/testkit/wallet/rpcServer'
// The line that changes in an app that moves.
import {
  createAlchemyPublicRpcClient,
  createAlchemySmartAccountClient,
  createLightAccount,
  createLightAccountAlchemyClient,
  createModularAccountAlchemyClient,
  createMultiOwnerLightAccountAlchemyClient,
  createMultiOwnerModularAccount,
  defineAlchemyChain,
  getAlchemyPaymasterAddress,
  LocalAccountSigner,
  type SmartAccountSigner,
} from 'latchkey/compat'
import { custom, http, verifyMessage } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import { afterEach, expect, test } from 'vitest'
import { getPaymasterAddress } from '../../core/chains/getPaymasterAddress.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function setUp() {
  const server = await startRpcServer(({ method }) => ({ result: recordedReplies[method] ?? null }))
  closers.push(server.close)
  const chain = defineAlchemyChain({ chain: sepolia, rpcBaseUrl: `${server.url}/v2` })
  const signer = LocalAccountSigner.privateKeyToAccountSigner(generatePrivateKey())
  return { server, chain, signer, sent: () => server.calls.find(({ method }) => method === 'eth_sendUserOperation') }
}

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const

test('default: an account and its client in one call, sponsored', async () => {
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
  await expect(client.getAddress()).resolves.toBe(client.account.address)
})

test('default: an account made apart, with a client of its own', async () => {
  const { chain, signer, server, sent } = await setUp()
  const account = await createLightAccount({ transport: http(`${server.url}/v2/k`), chain, signer, version: 'v1.1.0' })
  const client = createAlchemySmartAccountClient({ rpcUrl: `${server.url}/own`, jwt: 'a-jwt', chain, account })
  await client.sendUserOperation({ uo: [uo, uo], overrides: { paymasterAndData: '0x' } })
  expect(sent()).toMatchObject({ path: '/own', headers: { authorization: 'Bearer a-jwt' } })
})

test('default: owners of several kinds of account, and a client of the node', async () => {
  const { chain, signer, server } = await setUp()
  const owners = [newKey().address]
  const light = await createMultiOwnerLightAccountAlchemyClient({ apiKey: 'k', chain, signer, owners })
  const modular = await createModularAccountAlchemyClient({ apiKey: 'k', chain, signer, owners })
  expect(light.updateOwners).toBeTypeOf('function')
  expect(modular.installPlugin).toBeTypeOf('function')
  const account = await createMultiOwnerModularAccount({ transport: http(server.url), chain, signer, owners })
  expect(account.address).toBe(modular.account.address)
  const reader = createAlchemyPublicRpcClient({ chain, connectionConfig: { apiKey: 'k' } })
  expect(await reader.getSupportedEntryPoints()).toEqual([])
  expect(getAlchemyPaymasterAddress(sepolia)).toBe(getPaymasterAddress({ chain: sepolia, entryPointVersion: '0.6.0' }))
})

test('behavior: a signer of the app: what it signs is passed as the published SDK passes it', async () => {
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
