import { localSigner } from '@latchkey/testkit/wallet/localSigner'
import { memoryPlatform, openStorage } from '@latchkey/testkit/wallet/memoryPlatform'
import { base, sepolia } from 'viem/chains'
import { describe, expect, test } from 'vitest'
import { latchkeyDev } from '../core/chains/latchkeyDev.ts'
import { getAccount } from './actions/account.ts'
import { getChain, setChain } from './actions/chain.ts'
import { createAccount } from './actions/createAccount.ts'
import { disconnect, followSigner, hydrate, reconnect } from './actions/session.ts'
import { getSigner, getSignerStatus, getUser, watchUser } from './actions/signer.ts'
import { getSmartAccountClient } from './actions/smartAccountClient.ts'
import { createConfig } from './createConfig.ts'
import type { LatchkeyConfig } from './store/types.ts'

const type = 'LightAccount'
const storageKey = 'alchemy-account-state'

function setUp(options: { storage?: ReturnType<typeof openStorage>; ssr?: boolean } = {}) {
  const { storage = openStorage(), ssr } = options
  const platform = memoryPlatform(storage)
  const connections = [
    { chain: latchkeyDev, apiKey: 'secret-api-key' },
    { chain: sepolia, jwt: 'secret-jwt' },
  ]
  const signerConnection = { apiKey: 'secret-signer-key' }
  const config = createConfig({ chain: latchkeyDev, connections, signerConnection, platform, ssr })
  return { config, storage }
}

function connect(config: LatchkeyConfig) {
  const person = localSigner()
  config.clientStore.setState({ signer: person.signer })
  followSigner(config, person.signer)
  return person
}

describe('createConfig', () => {
  test('starts with the documented defaults', () => {
    const config = createConfig({ chain: latchkeyDev, apiKey: 'key' })
    expect(config._internal).toMatchObject({ ssr: false, storageKey, sessionLength: 900_000 })
    expect(getChain(config)).toBe(latchkeyDev)
    expect(getSignerStatus(config)).toEqual({
      status: 'INITIALIZING',
      isInitializing: true,
      isAuthenticating: false,
      isConnected: false,
      isDisconnected: false,
    })
    expect(getSigner(config)).toBeNull()
    expect(getUser(config)).toBeUndefined()
  })

  test('shares an inline rpcUrl with the signer unless endpoints name its service', () => {
    const rpcUrl = 'http://localhost:1/rpc'
    const endpoints = { signerApiUrl: 'http://localhost:2', getConfig: () => Promise.reject(new TypeError('unused')) }
    const connectionOf = (config: LatchkeyConfig) => config.clientStore.getState().config.connection
    expect(connectionOf(createConfig({ chain: base, rpcUrl, jwt: 'j' }))).toMatchObject({ rpcUrl, jwt: 'j' })
    expect(connectionOf(createConfig({ chain: base, rpcUrl, jwt: 'j', endpoints }))).not.toHaveProperty('rpcUrl')
  })

  test('accepts sessionConfig and storage', () => {
    const lengths: unknown[] = []
    const storage = (given?: { sessionLength: number }) => {
      lengths.push(given)
      return openStorage()
    }
    const config = createConfig({ chain: base, apiKey: 'k', storage, sessionConfig: { expirationTimeMs: 5000 } })
    expect(config._internal.sessionLength).toBe(5000)
    expect(lengths).toEqual([{ sessionLength: 5000 }, undefined])
  })

  test('refuses an empty connection and connections without signerConnection', () => {
    expect(() => createConfig({ chain: base })).toThrow('A connection needs an apiKey, a jwt or an rpcUrl.')
    const connections = [{ chain: base, apiKey: 'key' }]
    // @ts-expect-error: the type requires signerConnection, too
    expect(() => createConfig({ chain: base, connections })).toThrow('signerConnection is required')
  })
})

describe('stored state', () => {
  test('has user, status, account configs and chain id, but no key', async () => {
    const { config, storage } = setUp()
    const person = connect(config)
    const user = person.signIn()
    const account = await createAccount({ type, accountParams: { salt: 3n } }, config)
    const entries = storage.entries()
    expect(Object.keys(entries)).toEqual([storageKey])
    expect(JSON.parse(entries[storageKey] ?? '')).toEqual({
      version: 1,
      state: {
        user,
        signerStatus: getSignerStatus(config),
        accountConfigs: {
          31337: {
            LightAccount: {
              salt: { __type: 'bigint', value: '3' },
              version: 'v1.1.0',
              accountAddress: account.address,
              initCode: await account.getFactoryInitCode(),
            },
          },
        },
      },
    })
    await setChain(config, sepolia)
    expect(JSON.parse(storage.entries()[`${storageKey}:core`] ?? '')).toEqual({
      version: 1,
      state: { chainId: 11155111 },
    })
    expect(JSON.stringify(storage.entries())).not.toContain('secret')
  })

  test('restores chain, user and a reconnecting account on the next visit', async () => {
    const first = setUp()
    const user = connect(first.config).signIn()
    const { address } = await createAccount({ type, accountParams: { salt: 3n } }, first.config)
    const { config } = setUp({ storage: first.storage })
    expect(getUser(config)).toEqual(user)
    expect(getSignerStatus(config).status).toBe('INITIALIZING')
    expect(getAccount({ type }, config)).toEqual({ status: 'RECONNECTING', account: { address } })
    expect(getAccount({ type }, config)).toBe(getAccount({ type }, config))
    // Simulates a visit that ended while the signer was initializing.
    config.clientStore.setState({})
    expect(first.storage.getItem('alchemy-account-state')).toContain('INITIALIZING')
    expect(getAccount({ type }, setUp({ storage: first.storage }).config).status).toBe('RECONNECTING')
    await setChain(config, sepolia)
    expect(getAccount({ type }, config).status).toBe('DISCONNECTED')
    expect(getChain(setUp({ storage: first.storage }).config)).toBe(sepolia)
  })

  test('keeps the stored state when a tab is closed while it adopts a session', async () => {
    const first = setUp()
    const late = connect(setUp({ storage: first.storage }).config)
    late.to('AWAITING_EMAIL_AUTH')
    const user = connect(first.config).signIn()
    await createAccount({ type }, first.config)
    late.to('AUTHENTICATING')
    const { state } = JSON.parse(first.storage.entries()[storageKey] ?? '')
    expect(state).toMatchObject({ user, signerStatus: { status: 'CONNECTED' } })
    expect(Object.keys(state.accountConfigs)).toEqual(['31337'])
  })

  test('restores the last version, and no client of another one', async () => {
    const first = setUp()
    connect(first.config).signIn()
    const account = await createAccount({ type, accountParams: { version: 'v2.0.0' } }, first.config)
    const { config } = setUp({ storage: first.storage })
    const clientOf = (version?: 'v1.1.0' | 'v2.0.0') =>
      getSmartAccountClient({ type, accountParams: { version } }, config)
    expect(clientOf()).toEqual({ isLoadingClient: true, address: account.address })
    expect(clientOf('v2.0.0')).toEqual({ isLoadingClient: true, address: account.address })
    expect(clientOf('v1.1.0')).toEqual({ isLoadingClient: true })
    config.clientStore.setState({ signer: first.config.clientStore.getState().signer })
    config.clientStore.setState({ signerStatus: getSignerStatus(first.config) })
    expect(await createAccount({ type }, config)).toMatchObject({ address: account.address, version: 'v2.0.0' })
  })

  test('drops accounts without their user', async () => {
    const first = setUp()
    connect(first.config).signIn()
    const left = await createAccount({ type, accountParams: { salt: 3n } }, first.config)
    const stored = JSON.parse(first.storage.entries()[storageKey] ?? '')
    delete stored.state.user
    first.storage.setItem(storageKey, JSON.stringify(stored))
    const { config } = setUp({ storage: first.storage })
    connect(config).signIn()
    expect((await createAccount({ type }, config)).address).not.toBe(left.address)
  })

  test('stores nothing of the user after sign-out', async () => {
    const { config, storage } = setUp()
    connect(config).signIn()
    const { address } = await createAccount({ type }, config)
    await disconnect(config)
    expect(getUser(config)).toBeUndefined()
    expect(getAccount({ type }, config).status).toBe('DISCONNECTED')
    expect(getSignerStatus(config).isDisconnected).toBe(true)
    expect(JSON.stringify(storage.entries())).not.toMatch(new RegExp(`${address}|ann@example`, 'i'))
  })

  test('waits for the page with ssr', async () => {
    const first = setUp()
    const user = connect(first.config).signIn()
    const { config } = setUp({ storage: first.storage, ssr: true })
    expect(getUser(config)).toBeUndefined()
    const seen: unknown[] = []
    watchUser(config)((next) => seen.push(next))
    await hydrate(config).onMount()
    await expect.poll(() => getSignerStatus(config).status).toBe('DISCONNECTED')
    // The signer has no session, so the stored user is signed out.
    expect(seen).toEqual([user, undefined])
  })

  const good = { signerStatus: { status: 'CONNECTED' }, accountConfigs: {} }
  test.each([
    ['not JSON', '{'],
    ['null', 'null'],
    ['an older version', JSON.stringify({ version: 0, state: { ...good, user: 5, config: { apiKey: 'old' } } })],
    ['another form', JSON.stringify({ version: 1, state: { signerStatus: 'CONNECTED', accountConfigs: 7 } })],
    [
      'account configs of another form',
      JSON.stringify({ version: 1, state: { ...good, accountConfigs: { 31337: { LightAccount: { salt: 'x' } } } } }),
    ],
  ])('ignores stored state that is %s', (_, value) => {
    const storage = openStorage({ [storageKey]: value, [`${storageKey}:core`]: value })
    const { config } = setUp({ storage })
    expect(getUser(config)).toBeUndefined()
    expect(getChain(config)).toBe(latchkeyDev)
    expect(getAccount({ type }, config).status).toBe('DISCONNECTED')
    expect(config.clientStore.getState().accountConfigs[31337]?.LightAccount).toBeUndefined()
  })
})

describe('hydrate', () => {
  test('creates the signer once for many mounts', async () => {
    const { config } = setUp()
    const { onMount } = hydrate(config)
    await Promise.all([onMount(), onMount(), hydrate(config).onMount()])
    const signer = getSigner(config)
    expect(signer?.signerType).toBe('alchemy-signer')
    await expect.poll(() => getSignerStatus(config).status).toBe('DISCONNECTED')
    await hydrate(config).onMount()
    expect(getSigner(config)).toBe(signer)
    signer?.destroy()
  })

  test('uses initialState', async () => {
    const first = setUp()
    const user = connect(first.config).signIn()
    await createAccount({ type }, first.config)
    const { accountConfigs, signerStatus } = first.config.clientStore.getState()
    const { config } = setUp({ ssr: true })
    hydrate(config, { user, signerStatus, accountConfigs })
    expect(getUser(config)).toEqual(user)
    expect(getAccount({ type }, config).status).toBe('RECONNECTING')
    expect(getSignerStatus(config).status).toBe('INITIALIZING')
  })

  describe('state of a cookie', () => {
    const forged = `0x${'bb'.repeat(20)}` as const

    /** Opens a page whose cookie and storage contain different accounts and chains. */
    async function setUpForged(stored: boolean) {
      const first = setUp()
      const person = connect(first.config)
      const user = person.signIn()
      const own = await createAccount({ type, accountParams: { salt: 3n } }, first.config)
      const { signerStatus } = first.config.clientStore.getState()
      const storage = stored ? first.storage : openStorage()
      const before = storage.entries()
      const { config } = setUp({ storage, ssr: true })
      const accountConfigs = { 31337: { [type]: { salt: 3n, accountAddress: forged } } }
      const state = { user, signerStatus, chainId: 11155111, accountConfigs }
      return { config, storage, before, own, person, user, ...hydrate(config, state) }
    }

    test('is shown until the page has mounted, and is not stored', async () => {
      const { config, firstPaint, storage, before, user } = await setUpForged(true)
      expect(getChain(config)).toBe(sepolia)
      expect(getUser(config)).toBe(getUser(firstPaint))
      expect(getUser(config)).toEqual(user)
      await setChain(config, latchkeyDev)
      expect(getAccount({ type }, config)).toMatchObject({ account: { address: forged } })
      expect(storage.entries()).toEqual(before)
    })

    test('is replaced by the stored state', async () => {
      const { config, own, onMount } = await setUpForged(true)
      const seen: unknown[] = []
      config.clientStore.subscribe((state) => seen.push(state.accounts?.[31337]?.[type]?.account))
      await onMount()
      expect(getChain(config)).toBe(latchkeyDev)
      expect(seen[0]).toEqual({ address: own.address })
    })

    test('creates no account, even when nothing is stored', async () => {
      const { config, own, onMount, firstPaint, person } = await setUpForged(false)
      const seen: unknown[] = []
      config.clientStore.subscribe(({ user, accounts, accountConfigs }) =>
        seen.push({ user, accounts, accountConfigs }),
      )
      await onMount()
      expect(seen[0]).toEqual({ user: undefined, accounts: {}, accountConfigs: {} })
      expect(getUser(config)).toBeUndefined()
      expect(getChain(config)).toBe(latchkeyDev)
      config.clientStore.setState({ signer: person.signer })
      followSigner(config, person.signer)
      const { address } = await createAccount({ type, accountParams: { salt: 3n } }, config)
      expect(address).not.toBe(forged)
      expect(address).toBe(own.address)
      // The first render's state stays the same for components that React hydrates late.
      expect(getChain(firstPaint)).toBe(sepolia)
    })

    test('changes nothing in a second provider or a mounted page', async () => {
      const { config, onMount, user } = await setUpForged(true)
      const other = { ...user, userId: 'someone-else' }
      const state = { user: other, signerStatus: getSignerStatus(config), accountConfigs: {} }
      expect(getUser(hydrate(config, state).firstPaint)).toEqual(other)
      expect(getUser(config)).toEqual(user)
      await onMount()
      hydrate(config, state)
      expect(getUser(config)).not.toEqual(other)
    })
  })
})

const session = JSON.stringify({
  state: {
    session: {
      type: 'passkey',
      user: { orgId: 'org', userId: 'user', address: `0x${'11'.repeat(20)}`, credentialId: 'id' },
      expirationDateMs: Date.now() + 600_000,
    },
  },
  version: 0,
})

test('signs nobody in after the session key of the config changed', async () => {
  const storage = openStorage({ 'alchemy-signer-session': session })
  const config = (sessionKey?: string) =>
    createConfig({
      chain: latchkeyDev,
      apiKey: 'key',
      platform: memoryPlatform(storage),
      outbox: false,
      sessionConfig: { sessionKey },
    })
  const first = config()
  await reconnect(first)
  expect(first.clientStore.getState().user?.userId).toBe('user')
  const next = config('another')
  expect(next.clientStore.getState().user?.userId).toBe('user')
  await reconnect(next)
  expect(next.clientStore.getState()).toMatchObject({ user: undefined, signerStatus: { status: 'DISCONNECTED' } })
  expect(storage.entries()['alchemy-account-state']).not.toContain('"userId"')
})
