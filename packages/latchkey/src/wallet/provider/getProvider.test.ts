import { localConfig } from '@latchkey/testkit/wallet/localConfig'
import { numberToHex } from 'viem'
import { sepolia } from 'viem/chains'
import { expect, test } from 'vitest'
import { latchkeyDev } from '../../core/chains/latchkeyDev.ts'
import { disconnect } from '../actions/session.ts'
import { getProvider } from './getProvider.ts'

const type = 'LightAccount'

function setUp(connect?: (person: ReturnType<typeof localConfig>['person']) => void) {
  const { config, person } = localConfig()
  const provider = getProvider({ type, connect: connect && (async () => connect(person)) }, config)
  const seen: unknown[] = []
  provider
    .on('connect', (info) => seen.push(['connect', info.chainId]))
    .on('accountsChanged', (accounts) => seen.push(['accountsChanged', ...accounts]))
    .on('chainChanged', (chainId) => seen.push(['chainChanged', chainId]))
  const ask = (method: string, ...params: unknown[]) => provider.request({ method, params })
  return { config, person, provider, seen, ask }
}

const here = numberToHex(latchkeyDev.id)

test('creates the account on the first request and emits each change once', async () => {
  const { config, person, seen, ask } = setUp()
  expect(await ask('eth_accounts')).toEqual([])
  expect(await ask('eth_chainId')).toBe(here)
  person.signIn()
  const [address] = (await ask('eth_requestAccounts')) as string[]
  expect(await ask('eth_accounts')).toEqual([address])
  expect(seen).toEqual([
    ['connect', here],
    ['accountsChanged', address],
  ])
  await disconnect(config)
  expect(seen.slice(2)).toEqual([['accountsChanged']])
  await expect(ask('personal_sign', '0x12', address)).rejects.toMatchObject({ code: 4100 })
})

test('returns another account for another user', async () => {
  const { config, person, ask } = setUp()
  person.signIn()
  const [first] = (await ask('eth_requestAccounts')) as string[]
  await disconnect(config)
  person.signIn()
  const [second] = (await ask('eth_requestAccounts')) as string[]
  expect(second).not.toBe(first)
  await expect(ask('personal_sign', '0x12', first)).rejects.toMatchObject({ code: 4100 })
})

test('switches the active chain and creates the account there on the next request', async () => {
  const { config, person, seen, ask } = setUp()
  person.signIn()
  await ask('eth_requestAccounts')
  await ask('wallet_switchEthereumChain', { chainId: '0xaa36a7' })
  expect(config.coreStore.getState().chain.id).toBe(sepolia.id)
  expect(seen).toContainEqual(['chainChanged', '0xaa36a7'])
  await expect(ask('wallet_switchEthereumChain', { chainId: '0x1' })).rejects.toMatchObject({ code: 4902 })
})

test('signs the user in with `connect`', async () => {
  const { ask } = setUp((person) => void person.signIn())
  expect(await ask('eth_requestAccounts')).toHaveLength(1)
})

test('fails when the user does not sign in', async () => {
  await expect(setUp().ask('eth_requestAccounts')).rejects.toMatchObject({ code: 4100 })
  await expect(setUp(() => undefined).ask('eth_requestAccounts')).rejects.toMatchObject({ code: 4100 })
})
