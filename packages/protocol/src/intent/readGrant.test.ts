import fc from 'fast-check'
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { describe, expect, test } from 'vitest'
import {
  modularAccountV2Modules as modules,
  type Permission,
  type PermissionPlan,
  planPermissions,
} from '../permissions.ts'
import type { Grant } from './readGrant.ts'
import { readIntent } from './readIntent.ts'

const account = `0x${'a1'.repeat(20)}` as const
const key = `0x${'d4'.repeat(20)}` as const
const shop = `0x${'51'.repeat(20)}` as const
const token = `0x${'70'.repeat(20)}` as const
const abi = parseAbi(['function installValidation(bytes25 config, bytes4[] selectors, bytes data, bytes[] hooks)'])

type Install = { module: Hex; flags: number; selectors: readonly Hex[]; data: Hex; hooks: readonly Hex[] }
const toEntity = (module: Hex, id: number, flags: number) =>
  concatHex([module, numberToHex(id, { size: 4 }), numberToHex(flags, { size: 1 })])

/** Encodes a plan as clients do. `changes` replace parts of it. */
function install(plan: PermissionPlan, entityId: number, changes: Partial<Install> = {}): Hex {
  const hooks = plan.hooks.map(({ module, entityId: id, hookType, hasPreHooks, types, values }) => {
    const flags = (hookType === 'Validation' ? 1 : 0) | (hasPreHooks ? 4 : 0)
    return concatHex([toEntity(module, id, flags), encodeAbiParameters(parseAbiParameters(types), values)])
  })
  const whole: Install = {
    module: modules.singleSigner,
    flags: plan.isGlobal ? 5 : 1,
    selectors: plan.selectors,
    data: encodeAbiParameters(parseAbiParameters('uint32, address'), [entityId, key]),
    hooks,
    ...changes,
  }
  const config = toEntity(whole.module, entityId, whole.flags)
  return encodeFunctionData({ abi, args: [config, whole.selectors, whole.data, whole.hooks] })
}

function plan(permissions: readonly Permission[], entityId = 7, expirySec = 0): PermissionPlan {
  const found = planPermissions({ account, entityId, permissions, expirySec })
  if ('refused' in found) throw new RangeError(found.refused)
  return found
}

function read(callData: Hex): Grant | undefined {
  const intent = readIntent({ kind: 'operation', sender: account, callData })
  expect(intent).toMatchObject({ acts: [{ kind: 'module-change', to: account }] })
  return 'acts' in intent ? intent.acts[0]?.grant : undefined
}

const access: Permission = { type: 'contract-access', data: { address: shop } }
const spend: Permission = { type: 'erc20-token-transfer', data: { address: token, allowance: '0x64' } }

test.each<[name: string, permissions: Permission[]]>([
  ['root', [{ type: 'root' }]],
  ['a contract with native currency', [access, { type: 'native-token-transfer', data: { allowance: '0xa' } }]],
  ['a token with a gas limit', [spend, { type: 'gas-limit', data: { limit: '0x5' } }]],
  ['a token that the key may also call', [spend, { type: 'contract-access', data: { address: token } }]],
  [
    'functions',
    [
      { type: 'functions-on-contract', data: { address: shop, functions: ['0x11111111', '0x22222222'] } },
      { type: 'functions-on-all-contracts', data: { functions: ['0x33333333'] } },
      { type: 'account-functions', data: { functions: ['0x44444444'] } },
    ],
  ],
])('reads %s', (_, permissions) => {
  expect(read(install(plan(permissions, 7, 1_900_000_000), 7))).toEqual({
    key,
    entityId: 7,
    permissions,
    expirySec: 1_900_000_000,
  })
  expect(read(install(plan(permissions), 7))).toMatchObject({ permissions, expirySec: 0 })
})

test('reads the grant in a deferred action', () => {
  const call = install(plan([access]), 7)
  const intent = readIntent({
    kind: 'typed-data',
    domain: { chainId: 1, verifyingContract: account },
    types: {
      DeferredAction: [
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint48' },
        { name: 'call', type: 'bytes' },
      ],
    },
    primaryType: 'DeferredAction',
    message: { nonce: 1, deadline: 0, call },
  })
  expect(intent).toMatchObject({ acts: [{ kind: 'deferred-action' }, { grant: { key, permissions: [access] } }] })
})

const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)
const amount = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }).map((value): Hex => `0x${value.toString(16)}`)
const functions = fc.array(fc.oneof(hex(4), fc.constantFrom<Hex>('0x095ea7b3', '0xa9059cbb', '0xb61d27f6')), {
  minLength: 1,
  maxLength: 4,
})
const address = fc.oneof(hex(20), fc.constantFrom(shop, token))
const permission: fc.Arbitrary<Permission> = fc.oneof(
  amount.map((allowance) => ({ type: 'native-token-transfer', data: { allowance } }) as const),
  fc
    .tuple(address, amount)
    .map(([address, allowance]) => ({ type: 'erc20-token-transfer', data: { address, allowance } }) as const),
  amount.map((limit) => ({ type: 'gas-limit', data: { limit } }) as const),
  address.map((address) => ({ type: 'contract-access', data: { address } }) as const),
  functions.map((functions) => ({ type: 'account-functions', data: { functions } }) as const),
  functions.map((functions) => ({ type: 'functions-on-all-contracts', data: { functions } }) as const),
  fc
    .tuple(address, functions)
    .map(([address, functions]) => ({ type: 'functions-on-contract', data: { address, functions } }) as const),
  fc.constant({ type: 'root' } as const),
)
const options = { numRuns: 1_000, seed: Number(process.env.LATCHKEY_SEED) }

/** Sorts the lists of a plan. */
const sorted = ({ selectors, hooks, ...rest }: PermissionPlan) => ({
  ...rest,
  selectors: [...selectors].sort(),
  hooks: hooks
    .map(({ module, entityId, hookType, values: [id, second, ...more] }) => {
      const inputs = Array.isArray(second)
        ? second.map(([target, ...input]) => [String(target).toLowerCase(), ...input.slice(0, 3), [...input[3]].sort()])
        : second
      return { module, entityId, hookType, values: [id, Array.isArray(inputs) ? inputs.sort() : inputs, ...more] }
    })
    .sort((a, b) => (`${a.module}${a.entityId}` < `${b.module}${b.entityId}` ? -1 : 1)),
})

test('reads permissions with the same plan as those that were granted', () => {
  let planned = 0
  fc.assert(
    fc.property(
      fc.array(permission, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 2 ** 31 - 2 }),
      fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9_999_999_999 })),
      (permissions, entityId, expirySec) => {
        const granted = planPermissions({ account, entityId, permissions, expirySec })
        fc.pre(!('refused' in granted))
        planned++
        const found = read(install(granted, entityId))
        expect(found).toMatchObject({ key, entityId, expirySec })
        expect(sorted(plan(found?.permissions ?? [], entityId, expirySec))).toEqual(sorted(granted))
      },
    ),
    options,
  )
  expect(planned).toBe(options.numRuns)
})

describe('installations that are no known grant', () => {
  const granted = plan([access, spend, { type: 'native-token-transfer', data: { allowance: '0xa' } }], 7, 1_900_000_000)
  const toHook = (module: Hex, id: number, flags: number, types: string, values: readonly unknown[]) =>
    concatHex([toEntity(module, id, flags), encodeAbiParameters(parseAbiParameters(types), values)])
  const time = (until: number, after: number) =>
    toHook(modules.timeRange, 7, 1, 'uint32, uint48, uint48', [7, until, after])
  const signer = (id: number) => encodeAbiParameters(parseAbiParameters('uint32, address'), [id, key])
  const allow = (...inputs: readonly unknown[]) =>
    toHook(modules.allowlist, 7, 5, 'uint32, (address,bool,bool,uint256,bytes4[])[]', [7, inputs])
  const root = plan([{ type: 'root' }])

  test.each<[name: string, granted: PermissionPlan, changes: Partial<Install>]>([
    ['an unknown validation module', granted, { module: shop }],
    ['a passkey', granted, { module: modules.webauthn }],
    ['a key that also signs messages', granted, { flags: 3 }],
    ['a key whose entity id in the module differs', granted, { data: signer(8) }],
    ['installation data with a byte too many', granted, { data: concatHex([signer(7), '0x00']) }],
    ['an unknown hook', granted, { hooks: [concatHex([toEntity(shop, 7, 5), '0x'])] }],
    [
      'the hook of a paymaster',
      granted,
      { hooks: [toHook(modules.paymasterGuard, 7, 5, 'uint32, address', [7, shop])] },
    ],
    ['a hook of 24 bytes', granted, { hooks: [`0x${'11'.repeat(24)}`] }],
    [
      'a hook that runs after the call',
      root,
      { hooks: [toHook(modules.nativeTokenLimit, 7, 6, 'uint32, uint256', [7, 1n])] },
    ],
    ['data of a hook that is cut', root, { hooks: [time(1_900_000_000, 0).slice(0, -2) as Hex] }],
    ['a key that begins later', root, { hooks: [time(1_900_000_000, 1_800_000_000)] }],
    ['two end times', root, { hooks: [time(1_900_000_000, 0), time(1_900_000_001, 0)] }],
    ['every call without a list of contracts', root, { flags: 1, selectors: ['0xb61d27f6'] }],
    ['functions of the account that change it', root, { flags: 1, selectors: ['0x30009d52'] }],
    ['the account itself as a target', plan([access]), { hooks: [allow([account, false, false, 0n, []])] }],
    [
      'one target twice',
      plan([access]),
      { hooks: [allow([shop, true, false, 0n, ['0x11111111']], [shop, false, false, 0n, []])] },
    ],
    [
      'a list of functions that does not count',
      plan([access]),
      { hooks: [allow([shop, false, false, 0n, ['0x11111111']])] },
    ],
  ])('does not guess: %s', (_, granted, changes) => {
    expect(read(install(granted, 7, changes))).toBeUndefined()
  })
})

test('reads a key or a passkey without limits as a new owner', () => {
  const [x, y] = [17n, 2n ** 255n]
  const passkey = encodeAbiParameters(parseAbiParameters('uint32, uint256, uint256'), [7, x, y])
  const root = plan([{ type: 'root' }])
  const readActs = (changes: Partial<Install>) => {
    const callData = install(root, 7, { flags: 7, selectors: [], hooks: [], ...changes })
    const intent = readIntent({ kind: 'operation', sender: account, callData })
    return 'acts' in intent ? intent.acts : []
  }
  expect(readActs({})).toMatchObject([{ kind: 'owner-change', ownersAdded: [key] }])
  const coordinates = concatHex([numberToHex(x, { size: 32 }), numberToHex(y, { size: 32 })])
  expect(readActs({ module: modules.webauthn, data: passkey })).toMatchObject([
    { kind: 'owner-change', passkeysAdded: [coordinates] },
  ])
  const otherEntity = encodeAbiParameters(parseAbiParameters('uint32, address'), [8, key])
  const limited = toEntity(modules.timeRange, 7, 1)
  for (const changes of [
    { flags: 3 },
    { module: shop },
    { data: otherEntity },
    { hooks: [limited] },
    { data: passkey },
  ])
    expect(readActs(changes)).toMatchObject([{ kind: 'module-change' }])
})
