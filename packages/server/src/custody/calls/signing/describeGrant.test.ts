import type { Permission } from 'latchkey-protocol'
import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { describeGrant } from './describeGrant.ts'

const key = `0x${'d4'.repeat(20)}` as const
const short = `${getAddress(key).slice(0, 6)}…${getAddress(key).slice(-4)}`
const shop = `0x${'51'.repeat(20)}` as const
const token = `0x${'70'.repeat(20)}` as const
const expirySec = Date.UTC(2026, 11, 3, 12, 40) / 1000
const titleOf = (permissions: readonly Permission[], more: { expirySec: number } = { expirySec }) =>
  describeGrant({ key, entityId: 1, permissions, ...more })?.title
const access: Permission = { type: 'contract-access', data: { address: shop } }
const native: Permission = { type: 'native-token-transfer', data: { allowance: '0x16345785d8a0000' } }

test.each<[text: string, permissions: Permission[]]>([
  ['do everything that you can do with your account', [{ type: 'root' }]],
  ['call 0x5151…5151, and spend up to 0.1 in native currency and any amount of network fees', [access, native]],
  [
    'spend up to 100 of the smallest unit of token 0x7070…7070, any amount of native currency and up to 0.1 in network fees',
    [
      { type: 'erc20-token-transfer', data: { address: token, allowance: '0x64' } },
      { type: 'gas-limit', data: { limit: '0x16345785d8a0000' } },
    ],
  ],
  [
    'call 2 functions of 0x5151…5151, 1 function of any contract and 1 function of your account, and spend up to 0.1 in native currency and any amount of network fees',
    [
      { type: 'functions-on-contract', data: { address: shop, functions: ['0x11111111', '0x22222222'] } },
      { type: 'functions-on-all-contracts', data: { functions: ['0x33333333'] } },
      { type: 'account-functions', data: { functions: ['0x44444444'] } },
      native,
    ],
  ],
])('says in one sentence: %s', (text, permissions) => {
  expect(titleOf(permissions)).toBe(`Let key ${short} ${text}, until Dec 3, 2026`)
  expect(titleOf(permissions, { expirySec: 0 })).toMatch(/, with no end date$/)
})

test('lists whole addresses and every limit, also those that are not set', () => {
  const functions = ['0x11111111', '0x22222222'] as const
  const permissions: Permission[] = [access, { type: 'functions-on-contract', data: { address: token, functions } }]
  expect(describeGrant({ key, entityId: 1, permissions, expirySec })?.facts).toEqual([
    { name: 'Key', value: getAddress(key) },
    { name: 'Contract', value: getAddress(shop) },
    { name: 'Contract', value: getAddress(token) },
    { name: 'Its functions', value: '0x11111111, 0x22222222' },
    { name: 'Native currency', value: 'No limit' },
    { name: 'Network fees', value: 'No limit' },
    { name: 'Ends', value: 'Dec 3, 2026, 12:40 UTC' },
  ])
})

test('does not describe more permissions or functions than a page lists', () => {
  expect(titleOf(Array.from({ length: 21 }, () => access))).toBeUndefined()
  const functions = Array.from({ length: 21 }, (_, index) => `0x${String(index).padStart(8, '0')}` as const)
  expect(titleOf([{ type: 'account-functions', data: { functions } }])).toBeUndefined()
})
