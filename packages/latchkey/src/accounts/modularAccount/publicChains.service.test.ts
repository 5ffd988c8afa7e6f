import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import {
  modularAccountFactoryAbi as publishedFactoryAbi,
  modularAccountAbi as publishedModularAccountAbi,
  multiOwnerPluginAbi as publishedMultiOwnerPluginAbi,
  pluginAbi as publishedPluginAbi,
  sessionKeyPluginAbi as publishedSessionKeyPluginAbi,
  sessionKeyUpdatesAbi as publishedUpdatesAbi,
} from '@latchkey/testkit/contracts/modularAccountAbis'
import type { Abi, Chain } from 'viem'
import { foundry } from 'viem/chains'
import { expect, test } from 'vitest'
import { getModularAccountContracts } from '../../core/chains/accountContracts.ts'
import { getPluginAddress } from '../../core/chains/getPluginAddress.ts'
import { contractErrorsAbi } from '../errors/contractErrorsAbi.ts'
import { loupeAbi } from '../plugins/accountLoupe.ts'
import { multiOwnerPluginAbi } from '../plugins/multiOwnerPlugin.ts'
import { pluginManifestAbi } from '../plugins/pluginManifest.ts'
import { permissionsAbi } from '../plugins/sessionKey/permissions.ts'
import { sessionKeyPluginAbi } from '../plugins/sessionKey/sessionKeyPluginAbi.ts'
import { modularAccountAbi, modularAccountFactoryAbi } from './encoding.ts'

const published = { plugin: publishedPluginAbi, account: publishedModularAccountAbi }

test.each<[string, Abi, Abi]>([
  ['the account', modularAccountAbi, published.account],
  ['its loupe', loupeAbi, published.account],
  ['its factory', modularAccountFactoryAbi, publishedFactoryAbi],
  ['any plugin', pluginManifestAbi, published.plugin],
  ['the MultiOwnerPlugin', multiOwnerPluginAbi, publishedMultiOwnerPluginAbi],
  ['the SessionKeyPlugin', sessionKeyPluginAbi, publishedSessionKeyPluginAbi],
])('uses only functions from the published ABI of %s', (_, used, its) => {
  expect(used.length).toBeGreaterThan(0)
  expect(compareAbis(used, its).extra).toEqual([])
})

test('encodes permissions as published', () => {
  expect(compareAbis(permissionsAbi, publishedUpdatesAbi)).toEqual({ missing: [], extra: [] })
})

test('knows every error of the published contracts by name', () => {
  const abis = [published.account, publishedFactoryAbi, publishedMultiOwnerPluginAbi, publishedSessionKeyPluginAbi]
  const errors = abis.flat().filter(({ type }) => type === 'error')
  expect(errors.length).toBeGreaterThan(50)
  expect(compareAbis(contractErrorsAbi(), errors).missing).toEqual([])
})

/** Chains with the factory and both plugins. */
const chainIds = [
  1, 10, 137, 252, 2523, 8453, 42161, 80001, 80002, 84532, 421614, 7777777, 11155111, 11155420, 999999999,
]

test('knows factory and plugins on every chain at their common addresses', () => {
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
