import { expect, test } from 'vitest'
import { matchesAccount } from './matchesAccount.ts'
import type { AccountConfig } from './types.ts'

const factory = '0x0000000000400CdFef5E2714E63d8040b700BC24'
const known: AccountConfig = {
  version: 'v2.0.0',
  salt: 7n,
  accountAddress: '0x11c50cCe08Ff4ca8294592E282442a3f0A38cFd9',
  initCode: `${factory.toLowerCase() as '0x'}5fbfb9cf`,
}

test.each<[string, AccountConfig | undefined]>([
  ['nothing', undefined],
  ['no field', {}],
  ['undefined fields', { version: undefined, salt: undefined }],
  ['all fields', known],
  ['the version', { version: 'v2.0.0' }],
  ['the address in another letter case', { accountAddress: '0x11c50cce08ff4ca8294592e282442a3f0a38cfd9' }],
  ['the factory of the init code', { factoryAddress: factory }],
])('matches %s', (_, requested) => {
  expect(matchesAccount(requested, known)).toBe(true)
})

test('compares with the defaults when nothing is stored', () => {
  expect(matchesAccount({ version: 'v1.1.0', mode: 'default', salt: 0n }, {})).toBe(true)
})

test.each<[string, AccountConfig]>([
  ['version', { version: 'v1.1.0' }],
  ['mode', { mode: '7702' }],
  ['salt', { version: 'v2.0.0', salt: 0n }],
  ['accountAddress', { accountAddress: factory }],
  ['factoryAddress', { factoryAddress: '0x00004EC70002a32400f8ae005A26081065620D20' }],
  ['initCode', { initCode: '0x1234' }],
  ['entryPoint', { entryPoint: { address: factory } }],
])('distinguishes another %s', (_, requested) => {
  expect(matchesAccount(requested, known)).toBe(false)
})
