import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { localSigner } from '@latchkey/testkit/wallet/localSigner'
import { memoryPlatform } from '@latchkey/testkit/wallet/memoryPlatform'
import * as core3 from '@wagmi/core'
import * as core217 from '@wagmi/core-2.17'
import * as core222 from '@wagmi/core-2.22'
import { createConfig } from 'latchkey'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { latchkey } from 'latchkey/wagmi'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { followSigner } from '../../packages/latchkey/src/wallet/actions/session.ts'

// Runs Latchkey's connector with the oldest supported wagmi (2.15, with core 2.17), the newest 2.x and a 3.x release,
// on a real chain with a local key.

type Core = typeof core3
/** Supported versions of the core. They differ only in types that these tests do not use. */
const cores = [
  ['2.17', core217 as unknown as Core],
  ['2.22', core222 as unknown as Core],
  ['3.6', core3],
] as const

let gateway: TestGateway
let server: Awaited<ReturnType<TestGateway['serve']>>
beforeAll(async () => {
  gateway = await startTestGateway()
  server = await gateway.serve()
})
afterAll(async () => {
  await server?.close()
  await gateway?.close()
})

function setUp(core: Core) {
  const chain = defineLatchkeyDevChain({ id: gateway.chainId, nodeUrl: server.url })
  const platform = memoryPlatform()
  const config = createConfig({ chain, rpcUrl: server.url, platform, outbox: false })
  const person = localSigner()
  config.clientStore.setState({ signer: person.signer })
  followSigner(config, person.signer)
  person.to('DISCONNECTED')
  const connector = latchkey({
    config,
    gasManagerConfig: { policyId: 'default' },
    signIn: async () => void person.signIn(),
  })
  const transports = { [chain.id]: http(server.url) }
  const wagmi = core.createConfig({ chains: [chain], connectors: [connector], transports, storage: null })
  return { chain, person, wagmi, reader: createPublicClient({ chain, transport: http(server.url) }) }
}

test.each(cores)('connects, signs, sends, resumes the session and disconnects with core %s', async (_, core) => {
  const { wagmi, chain, reader } = setUp(core)
  const [connector] = wagmi.connectors
  if (!connector) throw new TypeError('no connector')
  const { accounts } = await core.connect(wagmi, { connector })
  const [address] = accounts
  if (!address) throw new TypeError('no account')
  expect(core.getAccount(wagmi)).toMatchObject({ status: 'connected', address, chainId: chain.id })
  const message = 'tea'
  const hash = await core.sendTransaction(wagmi, { to: address, data: '0x', gas: null })
  expect((await core.waitForTransactionReceipt(wagmi, { hash })).status).toBe('success')
  const signature = await core.signMessage(wagmi, { message })
  expect(await reader.verifyMessage({ address, message, signature })).toBe(true)
  expect((await core.switchChain(wagmi, { chainId: chain.id })).id).toBe(chain.id)

  wagmi.setState((state) => ({ ...state, connections: new Map(), current: null, status: 'disconnected' }))
  expect(await core.reconnect(wagmi)).toHaveLength(1)
  expect(core.getAccount(wagmi)).toMatchObject({ status: 'connected', address })
  await core.disconnect(wagmi)
  expect(core.getAccount(wagmi).status).toBe('disconnected')
  expect(await core.reconnect(wagmi)).toEqual([])
})

test.each(cores)('follows a sign-out of the page with core %s', async (_, core) => {
  const { wagmi, person } = setUp(core)
  const [connector] = wagmi.connectors
  if (!connector) throw new TypeError('no connector')
  await core.connect(wagmi, { connector })
  await person.signer.disconnect()
  await expect.poll(() => core.getAccount(wagmi).status).toBe('disconnected')
})
