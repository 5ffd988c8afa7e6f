import { openStorage } from '@latchkey/testkit/wallet/memoryPlatform'
import { sepolia } from 'viem/chains'
import { describe, expect, test } from 'vitest'
import { latchkeyDev } from '../../core/chains/latchkeyDev.ts'
import { getChain } from '../actions/chain.ts'
import { hydrate } from '../actions/session.ts'
import { getUser } from '../actions/signer.ts'
import { createConfig } from '../createConfig.ts'
import { toSignerStatus } from '../store/clientState.ts'
import type { AccountConfig, InitialState } from '../store/types.ts'
import { toCookieText } from './cookieText.ts'
import { cookieToInitialState } from './cookieToInitialState.ts'
import { parseInitialState, serializeInitialState } from './stateScript.ts'

const name = 'alchemy-account-state'
const soon = () => Date.now() + 60_000
const address = (digit: string) => `0x${digit.repeat(40)}` as const
const connections = [
  { chain: latchkeyDev, apiKey: 'secret-api-key' },
  { chain: sepolia, apiKey: 'secret-api-key' },
]
const config = createConfig({ chain: latchkeyDev, connections, signerConnection: { apiKey: 'secret' }, ssr: true })
const user = { email: 'ann@example.com', orgId: 'org-1', userId: 'user-1', address: address('1') }
const account: AccountConfig = { version: 'v2.0.0', salt: 3n, accountAddress: address('a'), initCode: '0xabcd' }

function stateOf(changes: Partial<InitialState> = {}): InitialState {
  const accountConfigs = { 31337: { LightAccount: account } }
  return { user, signerStatus: toSignerStatus('CONNECTED'), chainId: 31337, accountConfigs, ...changes }
}

const headerOf = (state: InitialState, expiresAtMs = soon()) => `${name}=${toCookieText(name, state, expiresAtMs)}`
const readBack = (state: InitialState) => cookieToInitialState(config, headerOf(state))

describe('cookie content', () => {
  test('keeps user, status, chain and the main fields of each account', () => {
    const owners = [address('b'), address('c')]
    const accountConfigs = {
      31337: { LightAccount: { ...account, factoryAddress: address('f'), entryPoint: { address: address('e') } } },
      11155111: { MultiOwnerModularAccount: { salt: 0n, owners, accountAddress: address('d') } },
    }
    expect(readBack(stateOf({ accountConfigs, chainId: 11155111 }))).toEqual({
      user,
      signerStatus: toSignerStatus('CONNECTED'),
      chainId: 11155111,
      accountConfigs: {
        31337: { LightAccount: { version: 'v2.0.0', salt: 3n, accountAddress: address('a') } },
        11155111: { MultiOwnerModularAccount: { salt: 0n, owners, accountAddress: address('d') } },
      },
    })
  })

  test('encodes every character for a cookie', () => {
    const email = 'ä"\\;, \u{1f511}\n%7B\ud800@example.com'
    const header = headerOf(stateOf({ user: { ...user, email } }))
    expect(header).toMatch(/^alchemy-account-state=[!#-+\--:<-[\]-~]+$/)
    expect(cookieToInitialState(config, `a=1; ${header}; b=2`)?.user?.email).toBe(email)
  })

  test('stays under 2 KB by dropping owners first and the address last', () => {
    const many = (count: number) => Array.from({ length: count }, () => address('b'))
    const withOwners = (count: number, more: Partial<InitialState> = {}) =>
      stateOf({ accountConfigs: { 31337: { MultiOwnerModularAccount: { ...account, owners: many(count) } } }, ...more })
    const read = (state: InitialState) => readBack(state)?.accountConfigs[31337]?.MultiOwnerModularAccount
    expect(read(withOwners(3))?.owners).toHaveLength(3)
    expect(read(withOwners(60))).toEqual({ version: 'v2.0.0', salt: 3n, accountAddress: address('a') })
    const short = { ...user, credentialId: 'c' }
    expect(readBack(withOwners(60, { user: short }))?.user).toEqual(short)
    const passkey = readBack(withOwners(60, { user: { ...user, credentialId: 'c'.repeat(1364) } }))
    expect(passkey?.user).toEqual(user)
    expect(passkey?.accountConfigs[31337]?.MultiOwnerModularAccount?.accountAddress).toBe(address('a'))
    const chains = Object.fromEntries(Array.from({ length: 40 }, (_, id) => [id + 1, { LightAccount: account }]))
    expect(readBack(stateOf({ accountConfigs: chains }))).toMatchObject({ user, accountConfigs: {} })
    expect(readBack(stateOf({ user: { ...user, email: 'é'.repeat(900) } }))?.user).toBeUndefined()
    for (const state of [
      withOwners(60),
      stateOf({ accountConfigs: chains }),
      stateOf({ user: { ...user, email: 'é'.repeat(900) } }),
    ])
      expect(headerOf(state).length).toBeLessThan(
        2048 - '; Path=/; Expires=Sun, 22 Nov 2026 22:22:22 GMT; SameSite=Lax; Secure'.length,
      )
  })

  test('ignores an expired cookie', () => {
    expect(cookieToInitialState(config, headerOf(stateOf(), Date.now() - 1))).toBeUndefined()
  })
})

const text = (value: unknown) => encodeURIComponent(typeof value === 'string' ? value : JSON.stringify(value))
const plain = { user, signerStatus: { status: 'CONNECTED' }, accountConfigs: {} }

test.each<[string, string]>([
  ['nothing', ''],
  ['no value', `${name}`],
  ['another name', `x${name}=${text({ state: plain, version: 1 })}`],
  ['not JSON', `${name}={`],
  ['null', `${name}=null`],
  ['a list', `${name}=${text([])}`],
  ['a broken escape', `${name}=%E0%A4%A`],
  [
    'an older version, with a key in it',
    `${name}=${text({ state: { ...plain, config: { apiKey: 'k' } }, version: 0 })}`,
  ],
  ['a later version', `${name}=${text({ state: plain, version: 2 })}`],
  ['a state that is text', `${name}=${text({ state: 'x', version: 1 })}`],
  ['an unknown status', `${name}=${text({ state: { ...plain, signerStatus: { status: 'ROOT' } }, version: 1 })}`],
  ['the whole thing, cut', headerOf(stateOf()).slice(0, 200)],
])('ignores a cookie with %s', (_, header) => {
  expect(cookieToInitialState(config, header)).toBeUndefined()
})

test('reads only known fields in their known form from a forged cookie', () => {
  const forged = {
    version: 1,
    state: {
      ...plain,
      user: { ...user, email: '<script>alert(1)</script>', isAdmin: true },
      config: { connection: { rpcUrl: 'https://evil.example' } },
      signer: {},
      chainId: 'x',
      accountConfigs: {
        31337: {
          LightAccount: { salt: { __type: 'bigint', value: '1' }, accountAddress: address('b'), initCode: '0xbad0' },
          MultiOwnerModularAccount: { accountAddress: 'javascript:alert(1)' },
          constructor: { accountAddress: address('b') },
        },
        'not-a-chain': { LightAccount: { accountAddress: address('b') } },
      },
    },
  }
  const json = JSON.stringify(forged).replace('"31337"', '"__proto__":{"LightAccount":{}},"31337"')
  expect(cookieToInitialState(config, `${name}=${text(json)}`)).toEqual({
    user: { ...user, email: '<script>alert(1)</script>' },
    signerStatus: toSignerStatus('CONNECTED'),
    accountConfigs: { 31337: { LightAccount: { salt: 1n, accountAddress: address('b') } } },
  })
})

test('uses the first readable cookie of the name', () => {
  const header = `${name}=broken; ${headerOf(stateOf({ chainId: 1 }))}; ${headerOf(stateOf({ chainId: 2 }))}`
  expect(cookieToInitialState(config, header)?.chainId).toBe(1)
})

describe('state in a script', () => {
  test('reads the state it wrote, and ignores invalid text', () => {
    expect(parseInitialState(serializeInitialState(readBack(stateOf())))).toEqual(readBack(stateOf()))
    expect(parseInitialState(serializeInitialState(undefined))).toBeUndefined()
    for (const nothing of [undefined, null, '', '{']) expect(parseInitialState(nothing)).toBeUndefined()
  })

  test('escapes text that would end the script', () => {
    const email = '</script><!--<script>&\u2028'
    const written = serializeInitialState(stateOf({ user: { ...user, email } }))
    expect(written).not.toMatch(/[<>&\u2028]/)
    expect(parseInitialState(written)?.user?.email).toBe(email)
  })
})

describe('on a server', () => {
  test('ignores a chain that the app no longer has', () => {
    expect(getChain(hydrate(config, readBack(stateOf({ chainId: 424242 }))).firstPaint)).toBe(latchkeyDev)
  })
})

test('changes the state even if the storage refuses writes', () => {
  const refusing = {
    ...openStorage(),
    setItem: () => {
      throw new DOMException('full', 'QuotaExceededError')
    },
  }
  const own = createConfig({ chain: latchkeyDev, apiKey: 'k', storage: () => refusing })
  own.clientStore.setState({ user })
  expect(getUser(own)).toEqual(user)
})
