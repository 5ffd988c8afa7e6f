import { newKey } from '@latchkey/testkit/accounts/setChain'
import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import {
  modularAccountFactoryAbi as publishedFactoryAbi,
  modularAccountAbi as publishedModularAccountAbi,
  multiOwnerPluginAbi as publishedMultiOwnerPluginAbi,
  pluginAbi as publishedPluginAbi,
  sessionKeyPluginAbi as publishedSessionKeyPluginAbi,
  sessionKeyUpdatesAbi as publishedUpdatesAbi,
} from '@latchkey/testkit/contracts/modularAccountAbis'
import { mint } from '@latchkey/testkit/demoToken'
import { type Abi, type Chain, createPublicClient, http, parseEther, parseGwei, toHex, zeroHash } from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { foundry, sepolia } from 'viem/chains'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { getModularAccountContracts } from '../../core/chains/accountContracts.ts'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import { memoryStorage } from '../../core/storage/memoryStorage.ts'
import { contractErrorsAbi } from '../errors/contractErrorsAbi.ts'
import { loupeAbi } from '../plugins/accountLoupe.ts'
import { multiOwnerPluginAbi } from '../plugins/multiOwnerPlugin.ts'
import { pluginManifestAbi } from '../plugins/pluginManifest.ts'
import { permissionsAbi } from '../plugins/sessionKey/permissions.ts'
import { SessionKeyPermissionsBuilder } from '../plugins/sessionKey/SessionKeyPermissionsBuilder.ts'
import { SessionKeySigner } from '../plugins/sessionKey/SessionKeySigner.ts'
import { sessionKeyPluginAbi } from '../plugins/sessionKey/sessionKeyPluginAbi.ts'
import { sessionKeyPluginActions } from '../plugins/sessionKey/sessionKeyPluginActions.ts'
import { modularAccountAbi, modularAccountFactoryAbi } from './encoding.ts'
import { toModularAccount } from './toModularAccount.ts'

/** The client as it is meets public chains: plain viem chains, published addresses and ABIs. */

const published = { plugin: publishedPluginAbi, account: publishedModularAccountAbi }

test.each<[string, Abi, Abi]>([
  ['the account', modularAccountAbi, published.account],
  ['its loupe', loupeAbi, published.account],
  ['its factory', modularAccountFactoryAbi, publishedFactoryAbi],
  ['any plugin', pluginManifestAbi, published.plugin],
  ['the MultiOwnerPlugin', multiOwnerPluginAbi, publishedMultiOwnerPluginAbi],
  ['the SessionKeyPlugin', sessionKeyPluginAbi, publishedSessionKeyPluginAbi],
])('behavior: what is asked of %s is in its published ABI', (_, used, its) => {
  expect(used.length).toBeGreaterThan(0)
  expect(compareAbis(used, its).extra).toEqual([])
})

test('behavior: permissions have the published encoding', () => {
  expect(compareAbis(permissionsAbi, publishedUpdatesAbi)).toEqual({ missing: [], extra: [] })
})

test('behavior: every error the published contracts have is known by name', () => {
  const abis = [published.account, publishedFactoryAbi, publishedMultiOwnerPluginAbi, publishedSessionKeyPluginAbi]
  const errors = abis.flat().filter(({ type }) => type === 'error')
  expect(errors.length).toBeGreaterThan(50)
  expect(compareAbis(contractErrorsAbi(), errors).missing).toEqual([])
})

/** Where both plugins are, and the factory. */
const chainIds = [
  1, 10, 137, 252, 2523, 8453, 42161, 80001, 80002, 84532, 421614, 7777777, 11155111, 11155420, 999999999,
]

test('behavior: every chain has all there is, at the addresses all have', () => {
  for (const id of chainIds) {
    const chain: Chain = { ...foundry, id }
    expect(getModularAccountContracts(chain)).toEqual({
      factory: '0x000000e92D78D90000007F0082006FDA09BD5f11',
      implementation: '0x0046000000000151008789797b54fdb500E2a61e',
    })
    expect(getPluginAddress({ name: 'MultiOwnerPlugin', chain })).toBe('0xcE0000007B008F50d762D155002600004cD6c647')
    expect(getPluginAddress({ name: 'SessionKeyPlugin', chain })).toBe('0x0000003E0000a96de4058e1E02a62FaaeCf23d8d')
  }
})

let world: TestChain
beforeAll(async () => {
  world = await startTestChain({ chainId: sepolia.id, bundler: true })
})
afterAll(() => world.close())
afterEach(() => vi.unstubAllGlobals())

test('default: an account and its session key on a chain whose addresses come from its id', async () => {
  const client = createPublicClient({ chain: sepolia, transport: http(world.nodeUrl) })
  const owner = newKey()
  vi.stubGlobal('localStorage', memoryStorage())
  const key = new SessionKeySigner()
  const sessionKey = await key.getAddress()
  const account = await toModularAccount({ client, owner })
  await world.request('anvil_setBalance', [account.address, toHex(parseEther('1'))])
  const fees = { maxFeePerGas: parseGwei('3'), maxPriorityFeePerGas: parseGwei('1') }
  const clientOf = (acting: typeof account) =>
    createBundlerClient({
      account: acting,
      client,
      transport: http(world.bundlerUrl),
      pollingInterval: 50,
      userOperation: { estimateFeesPerGas: async () => fees },
    }).extend(sessionKeyPluginActions)
  const hash = await clientOf(account).sendUserOperation({ calls: [mint(account.address, 1n)] })
  await clientOf(account).waitForUserOperationReceipt({ hash })
  const signature = await account.signMessage({ message: 'hello' })
  expect(await client.verifyMessage({ address: account.address, message: 'hello', signature })).toBe(true)

  const { to: target, data } = mint(account.address, 2n)
  const permissions = new SessionKeyPermissionsBuilder().addContractAddressAccessEntry({
    contractAddress: target,
    isOnList: true,
    checkSelectors: false,
  })
  const args = [[sessionKey], [zeroHash], [permissions.encode()]] as const
  await clientOf(account).installSessionKeyPlugin({ args, waitForTxn: true })
  const session = clientOf(await toModularAccount({ client, owner: key, accountAddress: account.address }))
  await session.executeWithSessionKey({ args: [[{ target, data }], sessionKey], waitForTxn: true })
  const elsewhere = session.executeWithSessionKey({ args: [[{ target: owner.address }], sessionKey] })
  await expect(elsewhere).rejects.toMatchObject({ code: 'SESSION_KEY_DENIED' })
})
