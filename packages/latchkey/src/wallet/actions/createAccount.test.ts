import { localSigner } from '@latchkey/testkit/wallet/localSigner'
import { memoryPlatform } from '@latchkey/testkit/wallet/memoryPlatform'
import { startRpcServer } from '@latchkey/testkit/wallet/rpcServer'
import type { Address } from 'viem'
import { sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { predictLightAccountAddress } from '../../accounts/lightAccount/predictLightAccountAddress.ts'
import { predictModularAccountAddress } from '../../accounts/modularAccount/predictModularAccountAddress.ts'
import { defineLatchkeyDevChain } from '../../core/chains/latchkeyDev.ts'
import { createConfig } from '../createConfig.ts'
import type { AccountConfig } from '../store/types.ts'
import { getAccount, watchAccount } from './account.ts'
import { setChain } from './chain.ts'
import { createAccount, createKnownAccounts } from './createAccount.ts'
import { disconnect, followSigner } from './session.ts'
import { getSmartAccountClient, watchSmartAccountClient } from './smartAccountClient.ts'

const type = 'LightAccount'
/** Unknown factory. Its accounts' addresses are read from the chain, and the test can delay this read. */
const factoryAddress = '0x00000000000000000000000000000000DeaDBeef'
const other = '0x000000000000000000000000000000000000bEEF'

async function setUp() {
  let gate: Promise<void> = Promise.resolve()
  let works = true
  const server = await startRpcServer(async () => {
    await gate
    if (!works) return { result: '0x' }
    return { error: { code: 3, message: 'reverted', data: `0x6ca7b806${'00'.repeat(30)}beef` } }
  })
  const chain = defineLatchkeyDevChain({ gatewayUrl: server.url })
  const config = createConfig({
    chain,
    connections: [
      { chain, apiKey: 'key' },
      { chain: sepolia, rpcUrl: server.url },
    ],
    signerConnection: { apiKey: 'key' },
    platform: memoryPlatform(),
  })
  const person = localSigner()
  config.clientStore.setState({ signer: person.signer })
  followSigner(config, person.signer)
  const statuses: string[] = []
  watchAccount(type, config)((state) => statuses.push(state.status))
  return {
    chain,
    config,
    person,
    server,
    statuses,
    hold() {
      let open: () => void = () => undefined
      gate = new Promise((resolve) => {
        open = resolve
      })
      return () => open()
    },
    setWorking: (value: boolean) => {
      works = value
    },
  }
}

test('creates the account of the signer and returns it again', async () => {
  const { config, person, statuses } = await setUp()
  person.signIn()
  const account = await createAccount({ type }, config)
  expect(account.address).toBe(predictLightAccountAddress({ owner: person.address() }))
  expect(account.getSigner().signerType).toBe('alchemy-signer')
  expect(statuses).toEqual(['INITIALIZING', 'READY'])
  expect(await createAccount({ type }, config)).toBe(account)
})

test('shares one account and one request between parallel callers', async () => {
  const { config, person, server, hold } = await setUp()
  person.signIn()
  const release = hold()
  const both = [createAccount({ type, accountParams: { factoryAddress } }, config), createAccount({ type }, config)]
  expect(getAccount({ type }, config).status).toBe('INITIALIZING')
  release()
  const [left, right] = await Promise.all(both)
  expect(left).toBe(right)
  expect(left?.address).toBe(other)
  expect(server.calls.length).toBe(1)
})

test('keeps an account of an earlier visit RECONNECTING until it is ready', async () => {
  const { config, person, statuses } = await setUp()
  const user = person.signIn()
  const address = predictLightAccountAddress({ owner: user.address })
  config.clientStore.setState({
    accounts: { 31337: { LightAccount: { status: 'RECONNECTING', account: { address } } } },
    accountConfigs: { 31337: { LightAccount: { accountAddress: address } } },
  })
  createKnownAccounts(config)
  await createAccount({ type }, config)
  expect(statuses).toEqual(['RECONNECTING', 'READY'])
})

test('creates no account for a user who signs out in the meantime', async () => {
  const { config, person, statuses, hold } = await setUp()
  person.signIn()
  const release = hold()
  const making = createAccount({ type, accountParams: { factoryAddress } }, config)
  await disconnect(config)
  release()
  await making
  expect(statuses).toEqual(['INITIALIZING', 'DISCONNECTED'])
  expect(config.clientStore.getState().accountConfigs).toEqual({})
})

test('never gives a user the account of the previous one', async () => {
  const { config, person, hold } = await setUp()
  person.signIn()
  const release = hold()
  const first = createAccount({ type, accountParams: { factoryAddress } }, config)
  const next = person.signIn()
  expect(getAccount({ type }, config).status).toBe('DISCONNECTED')
  const second = await createAccount({ type }, config)
  release()
  await first
  expect(second.address).toBe(predictLightAccountAddress({ owner: next.address }))
  expect(getAccount({ type }, config)).toMatchObject({ status: 'READY', account: { address: second.address } })
})

test('keeps one account per chain', async () => {
  const { chain, config, person } = await setUp()
  person.signIn()
  const here = await createAccount({ type, accountParams: { salt: 1n } }, config)
  await setChain(config, sepolia)
  expect(getAccount({ type }, config).status).toBe('DISCONNECTED')
  const there = await createAccount({ type }, config)
  expect(there.client.chain?.id).toBe(11155111)
  await setChain(config, chain)
  expect(getAccount({ type }, config)).toMatchObject({ status: 'READY', account: { address: here.address } })
})

test('distinguishes accounts that reconnect on two chains', async () => {
  const { config, chain } = await setUp()
  const returning = (address: Address) => ({ LightAccount: { status: 'RECONNECTING', account: { address } } }) as const
  config.clientStore.setState({ accounts: { [chain.id]: returning(other), [sepolia.id]: returning(factoryAddress) } })
  const addresses: unknown[] = []
  watchAccount(type, config)((state) => addresses.push(state.status === 'RECONNECTING' && state.account.address))
  await setChain(config, sepolia)
  await setChain(config, chain)
  expect(addresses).toEqual([factoryAddress, other])
})

test('uses the saved account without parameters', async () => {
  const { config, person } = await setUp()
  const user = person.signIn()
  const accountAddress = predictLightAccountAddress({ owner: user.address, salt: 7n })
  config.clientStore.setState({ accountConfigs: { 31337: { LightAccount: { accountAddress, salt: 7n } } } })
  expect((await createAccount({ type }, config)).address).toBe(accountAddress)
  expect(await createAccount({ type, accountParams: { version: 'v1.1.0' } }, config)).toMatchObject({
    address: accountAddress,
  })
})

test('switches to a requested version or salt, and back', async () => {
  const { config, person, statuses } = await setUp()
  const owner = person.signIn().address
  const make = async (accountParams?: AccountConfig) => (await createAccount({ type, accountParams }, config)).address
  const first = await make()
  const second = predictLightAccountAddress({ owner, version: 'v2.0.0' })
  expect(await make({ version: 'v2.0.0' })).toBe(second)
  expect(await make()).toBe(second)
  expect(await make({ version: 'v2.0.0', salt: 1n })).toBe(
    predictLightAccountAddress({ owner, version: 'v2.0.0', salt: 1n }),
  )
  expect(config.clientStore.getState().accountConfigs[31337]?.LightAccount).toMatchObject({
    version: 'v2.0.0',
    salt: 1n,
  })
  expect(await make({ version: 'v1.1.0', salt: 0n })).toBe(first)
  const round = ['INITIALIZING', 'READY']
  expect(statuses).toEqual([...round, ...round, ...round, ...round])
})

test('prefers requested parameters to the reconnecting account', async () => {
  const { config, person, statuses } = await setUp()
  const user = person.signIn()
  const address = predictLightAccountAddress({ owner: user.address })
  config.clientStore.setState({
    accounts: { 31337: { LightAccount: { status: 'RECONNECTING', account: { address } } } },
    accountConfigs: { 31337: { LightAccount: { accountAddress: address } } },
  })
  createKnownAccounts(config)
  const accountParams = { version: 'v2.0.0' } as const
  const account = await createAccount({ type, accountParams }, config)
  expect(account.version).toBe('v2.0.0')
  expect(statuses).toEqual(['RECONNECTING', 'INITIALIZING', 'READY'])
  expect(getAccount({ type }, config)).toMatchObject({ account: { address: account.address } })
})

test('keeps the account that was requested last, in any order of completion', async () => {
  const { config, person, hold } = await setUp()
  person.signIn()
  const release = hold()
  const slow = createAccount({ type, accountParams: { factoryAddress } }, config)
  const quick = await createAccount({ type, accountParams: { version: 'v2.0.0' } }, config)
  release()
  expect((await slow).address).toBe(other)
  expect(getAccount({ type }, config)).toMatchObject({ status: 'READY', account: { address: quick.address } })
})

test('returns no client for an account other than the requested one', async () => {
  const { config, person } = await setUp()
  person.signIn()
  await createAccount({ type }, config)
  const second = { type, accountParams: { version: 'v2.0.0' } } as const
  const seen: unknown[] = []
  const stop = watchSmartAccountClient(second, config)(({ client }) => seen.push(client?.smartAccount.version))
  expect(getSmartAccountClient(second, config)).toEqual({ isLoadingClient: true })
  expect(getSmartAccountClient(second, config)).toBe(getSmartAccountClient(second, config))
  await createAccount(second, config)
  const { client } = getSmartAccountClient(second, config)
  expect(client?.account.entryPoint.version).toBe('0.7')
  expect(client?.transferOwnership).toBeTypeOf('function')
  expect(getSmartAccountClient({ type, accountParams: { version: 'v1.1.0' } }, config).client).toBeUndefined()
  expect(getSmartAccountClient({ type }, config).client?.smartAccount.version).toBe('v2.0.0')
  expect(seen.at(-1)).toBe('v2.0.0')
  stop()
})

test('reports a failure and tries again on the next call', async () => {
  const { config, person, statuses, setWorking } = await setUp()
  person.signIn()
  setWorking(false)
  const accountParams = { factoryAddress } as const
  await expect(createAccount({ type, accountParams }, config)).rejects.toMatchObject({
    code: 'COUNTERFACTUAL_ADDRESS_FAILED',
  })
  const state = getAccount({ type }, config)
  expect(state.error).toMatchObject({ code: 'COUNTERFACTUAL_ADDRESS_FAILED' })
  expect(getSmartAccountClient({ type }, config)).toEqual({ isLoadingClient: false, error: state.error })
  setWorking(true)
  await createAccount({ type, accountParams }, config)
  expect(statuses).toEqual(['INITIALIZING', 'ERROR', 'INITIALIZING', 'READY'])
})

test('keeps a modular account next to a light one, each with its own client', async () => {
  const { config, person } = await setUp()
  const owner = person.signIn().address
  const modular = 'MultiOwnerModularAccount'
  const [light, account] = [await createAccount({ type }, config), await createAccount({ type: modular }, config)]
  expect(account.address).toBe(predictModularAccountAddress({ owners: [owner] }))
  expect(getAccount({ type }, config)).toMatchObject({ status: 'READY', account: { address: light.address } })
  const { client } = getSmartAccountClient({ type: modular }, config)
  expect(client?.smartAccount).toBe(account)
  expect(client?.updateOwners).toBeTypeOf('function')

  const accountParams = { owners: [other] } as const
  const shared = await createAccount({ type: modular, accountParams }, config)
  expect(shared.address).toBe(predictModularAccountAddress({ owners: [owner, other] }))
  expect(getSmartAccountClient({ type: modular, accountParams: { owners: [] } }, config).client).toBeUndefined()
  expect(await createAccount({ type: modular }, config)).toBe(shared)
})

test('returns the same client for the same account and parameters', async () => {
  const { config, person } = await setUp()
  const parameters = () => ({ type, gasManagerConfig: { policyId: 'default' } }) as const
  expect(getSmartAccountClient(parameters(), config)).toEqual({ isLoadingClient: false })
  const seen: boolean[] = []
  const stop = watchSmartAccountClient(parameters(), config)(({ client }) => seen.push(client !== undefined))
  person.signIn()
  await createAccount({ type }, config)
  const result = getSmartAccountClient(parameters(), config)
  expect(result.client?.account.address).toBe(result.address)
  expect(getSmartAccountClient(parameters(), config)).toBe(result)
  expect(getSmartAccountClient({ type }, config)).not.toBe(result)
  expect(getSmartAccountClient(parameters(), config)).toBe(result)
  expect(seen).toEqual([false, true])
  stop()
})

test('gives the account a transport without retries', async () => {
  const server = await startRpcServer(() => ({ status: 503 }))
  const chain = defineLatchkeyDevChain({ gatewayUrl: server.url })
  const config = createConfig({ chain, apiKey: 'key', platform: memoryPlatform() })
  const person = localSigner()
  config.clientStore.setState({ signer: person.signer })
  followSigner(config, person.signer)
  person.signIn()
  const account = await createAccount({ type }, config)
  await expect(account.getNonce()).rejects.toThrow()
  expect(server.calls.map(({ method }) => method)).toEqual(['eth_call'])
})
