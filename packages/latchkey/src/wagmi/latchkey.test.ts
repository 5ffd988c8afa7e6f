import { localConfig } from '@latchkey/testkit/wallet/localConfig'
import { memoryPlatform, openStorage } from '@latchkey/testkit/wallet/memoryPlatform'
import { SwitchChainError, UserRejectedRequestError } from 'viem'
import { sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { latchkeyDev } from '../core/chains/latchkeyDev.ts'
import { disconnect } from '../wallet/actions/session.ts'
import { createConfig } from '../wallet/createConfig.ts'
import { ProviderRpcError } from '../wallet/provider/ProviderRpcError.ts'
import { latchkey } from './latchkey.ts'
import type { ConnectorContext } from './types.ts'

type Person = ReturnType<typeof localConfig>['person']

async function setUp(signIn?: (person: Person) => Promise<unknown>) {
  const { config, person } = localConfig()
  person.to('DISCONNECTED')
  const seen: unknown[][] = []
  const emitter: ConnectorContext['emitter'] = { emit: (...event: unknown[]) => void seen.push(event) }
  const asked = signIn && (() => signIn(person))
  const connector = latchkey({ config, signIn: asked })({ chains: [latchkeyDev], emitter })
  await connector.setup()
  const names = () => seen.map(([name]) => name)
  return { config, person, connector, seen, names }
}

test('connects, returns accounts and disconnects', async () => {
  const { connector, config } = await setUp(async (person) => void person.signIn())
  expect(connector).toMatchObject({ id: 'latchkey', name: 'Latchkey', type: 'latchkey' })
  expect(await connector.getAccounts()).toEqual([])
  const { accounts, chainId } = await connector.connect()
  expect(chainId).toBe(latchkeyDev.id)
  expect(await connector.getAccounts()).toEqual(accounts)
  const [address] = accounts
  expect((await connector.connect({ withCapabilities: true })).accounts).toEqual([{ address, capabilities: {} }])
  await connector.disconnect()
  expect(config.clientStore.getState().user).toBeUndefined()
  expect(await connector.getAccounts()).toEqual([])
})

test('uses an existing session without a sign-in', async () => {
  const { connector, person } = await setUp(() => Promise.reject(new TypeError('asked')))
  person.signIn()
  expect(await connector.isAuthorized()).toBe(true)
  expect((await connector.connect({ isReconnecting: true })).accounts).toHaveLength(1)
})

test('follows a sign-in and a sign-out on the page', async () => {
  const { config, connector, person, seen, names } = await setUp()
  person.signIn()
  await expect.poll(names).toContain('connect')
  const accounts = await connector.getAccounts()
  expect(seen).toContainEqual(['connect', { accounts, chainId: latchkeyDev.id }])
  await disconnect(config)
  expect(names().filter((name) => name === 'disconnect')).toHaveLength(1)
})

test('emits no connect for a restored session', async () => {
  const user = { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}`, credentialId: 'id' }
  const session = { type: 'passkey', user, expirationDateMs: Date.now() + 600_000 }
  const storage = openStorage({ 'alchemy-signer-session': JSON.stringify({ state: { session }, version: 0 }) })
  const config = createConfig({ chain: latchkeyDev, apiKey: 'key', platform: memoryPlatform(storage), outbox: false })
  const heard: string[] = []
  const emitter: ConnectorContext['emitter'] = { emit: (name: string) => void heard.push(name) }
  const connector = latchkey({ config })({ chains: [latchkeyDev], emitter })
  await connector.setup()
  expect(await connector.isAuthorized()).toBe(true)
  expect(config.clientStore.getState().signerStatus.status).toBe('CONNECTED')
  expect(await connector.getAccounts()).toHaveLength(1)
  // A connect event would have been emitted by now.
  expect(await connector.getAccounts()).toHaveLength(1)
  await connector.disconnect()
  expect(heard).toContain('disconnect')
  expect(heard).not.toContain('connect')
})

test('creates the account on another chain before wagmi gets the change event', async () => {
  const { connector, seen } = await setUp(async (person) => void person.signIn())
  expect(await connector.connect({ chainId: sepolia.id })).toMatchObject({ chainId: sepolia.id })
  const accounts = await connector.getAccounts()
  expect(accounts).toHaveLength(1)
  expect(seen).toContainEqual(['change', { accounts, chainId: sepolia.id }])
  expect(await connector.switchChain({ chainId: latchkeyDev.id })).toBe(latchkeyDev)
  expect(seen.filter(([, data]) => Array.isArray(data) && data.length === 0)).toEqual([])
})

test('refuses a chain without a connection', async () => {
  const { connector } = await setUp(async (person) => void person.signIn())
  await connector.connect()
  const switching = connector.switchChain({ chainId: 1 })
  await expect(switching).rejects.toBeInstanceOf(SwitchChainError)
  await expect(switching).rejects.toMatchObject({ code: 4902, message: expect.stringContaining('chain 1') })
})

test('does not start a sign-in when the session ends during a reconnect', async () => {
  let asked = 0
  const { connector, person } = await setUp(async () => void asked++)
  person.signIn()
  expect(await connector.isAuthorized()).toBe(true)
  const taking = connector.connect({ isReconnecting: true })
  person.to('DISCONNECTED')
  await expect(taking).rejects.toMatchObject({ code: 4100 })
  expect(asked).toBe(0)
})

test('returns no account when the session ends during its creation', async () => {
  const { connector, person } = await setUp()
  person.signIn()
  expect(await connector.isAuthorized()).toBe(true)
  const reading = connector.getAccounts()
  person.to('DISCONNECTED')
  expect(await reading).toEqual([])
})

test('converts a refusal of the user to UserRejectedRequestError', async () => {
  const refusal = new ProviderRpcError('userRejected', 'no')
  const { connector } = await setUp(() => Promise.reject(refusal))
  const connecting = connector.connect()
  await expect(connecting).rejects.toBeInstanceOf(UserRejectedRequestError)
  await expect(connecting).rejects.toMatchObject({ code: 4001 })
})

test('opens the dialog of the config once for parallel callers', async () => {
  const { config, connector, person } = await setUp()
  const closed: (() => void)[] = []
  config.dialog.open = (onClosed) => void closed.push(onClosed)
  const connecting = [connector.connect(), connector.connect()]
  await expect.poll(() => closed.length).toBe(1)
  person.signIn()
  const [first, second] = await Promise.all(connecting)
  expect(first?.accounts).toHaveLength(1)
  expect(second).toEqual(first)
})

test('treats a closed dialog as a refusal of the user', async () => {
  const { config, connector } = await setUp()
  config.dialog.open = (onClosed) => onClosed()
  await expect(connector.connect()).rejects.toBeInstanceOf(UserRejectedRequestError)
})

test('says what to do on a page without a dialog', async () => {
  const { connector } = await setUp()
  await expect(connector.connect()).rejects.toMatchObject({
    code: 4100,
    message: expect.stringContaining('Render LatchkeyProvider'),
  })
})
