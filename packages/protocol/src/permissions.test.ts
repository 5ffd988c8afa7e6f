import {
  allowlistModuleAbi,
  modularAccountV2Abi,
  nativeTokenLimitModuleAbi,
  paymasterGuardModuleAbi,
  semiModularStorageOnlyAbi,
  singleSignerValidationModuleAbi,
  timeRangeModuleAbi,
} from '@latchkey/testkit/contracts/modularAccountV2Abis'
import { type Abi, type Hex, parseAbi, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { modularAccountV2Modules as modules, type Permission, planPermissions } from './permissions.ts'

const account = '0x7A546bF84e0b86374B2A765F2c294548363D279a'
const token = '0x70707070707070707070707070707070707070aa'
const shop = '0x5151515151515151515151515151515151515151'
const second = 2_147_483_648
const plan = (permissions: readonly Permission[], more: Partial<planPermissions.Parameters> = {}) =>
  planPermissions({ account, entityId: 1, permissions, expirySec: 0, ...more })
const refused = (text: string) => ({ refused: expect.stringContaining(text) })

test.each<[name: string, permissions: Permission[], expected: object]>([
  ['root', [{ type: 'root' }], { isGlobal: true, selectors: [], hooks: [], hasExecutionHooks: false }],
  [
    'access to a contract with native currency',
    [
      { type: 'contract-access', data: { address: shop } },
      { type: 'native-token-transfer', data: { allowance: '0x0a' } },
    ],
    {
      isGlobal: false,
      selectors: ['0xb61d27f6', '0x34fcd5be'],
      hasExecutionHooks: true,
      hooks: [
        { hookType: 'Validation', module: modules.allowlist, entityId: 1, values: [1, [[shop, false, false, 0n, []]]] },
        { hookType: 'Execution', module: modules.nativeTokenLimit, entityId: 1, values: [1, 10n] },
      ],
    },
  ],
  [
    'a token',
    [{ type: 'erc20-token-transfer', data: { address: token, allowance: '0x64' } }],
    {
      hasExecutionHooks: true,
      hooks: [
        {
          hookType: 'Validation',
          entityId: 1,
          values: [1, [[token.toLowerCase(), true, false, 0n, ['0x095ea7b3', '0xa9059cbb']]]],
        },
        { hookType: 'Execution', entityId: second, values: [second, [[token, false, true, 100n, []]]] },
      ],
    },
  ],
  [
    'functions of one contract, named twice, and of all',
    [
      { type: 'functions-on-contract', data: { address: shop, functions: ['0x11111111'] } },
      { type: 'functions-on-contract', data: { address: shop, functions: ['0x22222222'] } },
      { type: 'functions-on-all-contracts', data: { functions: ['0x33333333'] } },
    ],
    {
      hasExecutionHooks: false,
      hooks: [
        {
          values: [
            1,
            [
              [shop, true, false, 0n, ['0x11111111', '0x22222222']],
              [`0x${'00'.repeat(20)}`, false, false, 0n, ['0x33333333']],
            ],
          ],
        },
      ],
    },
  ],
  [
    'gas',
    [
      { type: 'contract-access', data: { address: shop } },
      { type: 'gas-limit', data: { limit: '0x5' } },
    ],
    {
      hasExecutionHooks: false,
      hooks: [{}, { hookType: 'Validation', module: modules.nativeTokenLimit, entityId: second, values: [second, 5n] }],
    },
  ],
  [
    'functions of the account that a module added',
    [{ type: 'account-functions', data: { functions: ['0x12345678'] } }],
    { selectors: ['0x12345678'], hooks: [] },
  ],
])('plans %s', (_name, permissions, expected) => {
  expect(plan(permissions)).toMatchObject(expected)
})

test('gives access to the whole contract if one permission does, in any order', () => {
  const whole: Permission = { type: 'contract-access', data: { address: shop } }
  const some: Permission = { type: 'functions-on-contract', data: { address: shop, functions: ['0x11111111'] } }
  for (const permissions of [
    [whole, some],
    [some, whole],
  ])
    expect(plan(permissions)).toMatchObject({ hooks: [{ values: [1, [[shop, false, false, 0n, []]]] }] })
})

test('ends with the expiry', () => {
  expect(plan([{ type: 'root' }], { expirySec: 1_900_000_000 })).toMatchObject({
    hooks: [{ hookType: 'Validation', module: modules.timeRange, values: [1, 1_900_000_000, 0] }],
  })
})

/** Returns the selectors of the functions that change something. */
const selectorsOf = (abi: Abi): Hex[] =>
  abi.flatMap((item) =>
    item.type === 'function' && item.stateMutability !== 'view' && item.stateMutability !== 'pure'
      ? [toFunctionSelector(item)]
      : [],
  )

test('refuses every function that changes the account, whoever is called', () => {
  const selectors = [...modularAccountV2Abi, ...semiModularStorageOnlyAbi].flatMap((item) => selectorsOf([item]))
  expect(selectors.length).toBeGreaterThan(10)
  for (const selector of selectors)
    for (const type of ['account-functions', 'functions-on-all-contracts'] as const)
      expect([
        selector,
        plan([{ type, data: { functions: [selector.toUpperCase().replace('0X', '0x') as Hex] } }]),
      ]).toEqual([selector, refused('would let the key change the account')])
})

test('refuses every function with which modules change limits and keys, on all contracts', () => {
  const selectors = [
    allowlistModuleAbi,
    nativeTokenLimitModuleAbi,
    paymasterGuardModuleAbi,
    singleSignerValidationModuleAbi,
    timeRangeModuleAbi,
    parseAbi(['function transferSigner(uint32 entityId, uint256 x, uint256 y)']),
  ].flatMap(selectorsOf)
  expect(selectors.length).toBeGreaterThan(10)
  for (const selector of selectors)
    expect([selector, plan([{ type: 'functions-on-all-contracts', data: { functions: [selector] } }])]).toEqual([
      selector,
      refused('would let the key change the account'),
    ])
})

test('refuses the account, its modules and the entry point as targets', () => {
  for (const address of [
    account,
    account.toLowerCase() as Hex,
    ...Object.values(modules),
    '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  ] as const)
    for (const permission of [
      { type: 'contract-access', data: { address } },
      { type: 'functions-on-contract', data: { address, functions: ['0x11111111'] } },
      { type: 'erc20-token-transfer', data: { address, allowance: '0x1' } },
    ] as const)
      expect(plan([permission])).toEqual(refused('The key must not call'))
})

test.each<[name: string, permissions: Permission[], text: string, more?: Partial<planPermissions.Parameters>]>([
  ['no permission', [], 'at least one'],
  ['native currency alone', [{ type: 'native-token-transfer', data: { allowance: '0x1' } }], 'allow no call'],
  ['root beside others', [{ type: 'root' }, { type: 'root' }], 'beside it'],
  [
    'two gas limits',
    [
      { type: 'gas-limit', data: { limit: '0x1' } },
      { type: 'gas-limit', data: { limit: '0x2' } },
    ],
    'gas-limit once',
  ],
  [
    'one token twice',
    [
      { type: 'erc20-token-transfer', data: { address: token, allowance: '0x1' } },
      { type: 'erc20-token-transfer', data: { address: token.toLowerCase() as Hex, allowance: '0x2' } },
    ],
    'once per token',
  ],
  ['an allowance of 0', [{ type: 'native-token-transfer', data: { allowance: '0x0' } }], 'above 0'],
  ['an amount of 257 bits', [{ type: 'gas-limit', data: { limit: `0x1${'0'.repeat(64)}` } }], 'above 0'],
  ['an address of 19 bytes', [{ type: 'contract-access', data: { address: `0x${'11'.repeat(19)}` } }], 'is none'],
  ['the zero address', [{ type: 'contract-access', data: { address: `0x${'00'.repeat(20)}` } }], 'is none'],
  ['a selector of 3 bytes', [{ type: 'account-functions', data: { functions: ['0x111111'] } }], '4 bytes'],
  ['no function', [{ type: 'account-functions', data: { functions: [] } }], 'Name 1 to'],
  ['entity id 0', [{ type: 'root' }], 'entity id', { entityId: 0 }],
  ['an entity id whose second hook has no id', [{ type: 'root' }], 'entity id', { entityId: 2_147_483_647 }],
  ['an expiry in milliseconds', [{ type: 'root' }], 'expiry', { expirySec: 1_900_000_000_000 }],
])('refuses %s', (_name, permissions, text, more) => {
  expect(plan(permissions, more)).toEqual(refused(text))
})
