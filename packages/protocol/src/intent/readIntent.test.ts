import { type Abi, concatHex, encodeFunctionData, type Hex, parseAbi, toFunctionSelector, zeroHash } from 'viem'
import { describe, expect, test } from 'vitest'
import { toIntentJson } from './intent.ts'
import { listKnownFunctions } from './knownCalls.ts'
import { readIntent } from './readIntent.ts'

const account = `0x${'a1'.repeat(20)}` as const
const other = `0x${'b2'.repeat(20)}` as const
const token = `0x${'c3'.repeat(20)}` as const
const key = `0x${'d4'.repeat(20)}` as const

const abi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls)',
  'function executeWithSessionKey((address target, uint256 value, bytes data)[] calls, address sessionKey)',
  'function updateOwners(address[] ownersToAdd, address[] ownersToRemove)',
  'function upgradeToAndCall(address newImplementation, bytes data)',
  'function transferOwnership(address newOwner)',
  'function installPlugin(address plugin, bytes32 manifestHash, bytes installData, bytes21[] dependencies)',
  'function installValidation(bytes25 validationConfig, bytes4[] selectors, bytes installData, bytes[] hooks)',
  'function addSessionKey(address sessionKey, bytes32 tag, bytes[] permissionUpdates)',
  'function transfer(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function setApprovalForAll(address operator, bool approved)',
  'function mint()',
])
const encode = (functionName: string, args: readonly unknown[] = []) =>
  encodeFunctionData({ abi: abi as Abi, functionName, args })
const light = {
  batch: (to: readonly Hex[], values: readonly bigint[], data: readonly Hex[]) =>
    encodeFunctionData({
      abi: parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)']),
      args: [to, values, data],
    }),
  plain: (to: readonly Hex[], data: readonly Hex[]) =>
    encodeFunctionData({ abi: parseAbi(['function executeBatch(address[] dest, bytes[] func)']), args: [to, data] }),
}
const read = (callData: Hex) => readIntent({ kind: 'operation', sender: account, callData })
const execute = (to: Hex, value: bigint, data: Hex) => encode('execute', [to, value, data])

test('has the selector of each signature', () => {
  for (const [selector, signature] of listKnownFunctions()) expect(toFunctionSelector(signature)).toBe(selector)
})

describe('calls of an account', () => {
  const transfer = encode('transfer', [other, 7n])
  const asRead = [
    { kind: 'transfer', to: other, value: '5' },
    { kind: 'token-transfer', to: token, value: '0', selector: '0xa9059cbb', token, recipient: other, amount: '7' },
  ]

  test('reads every form of a batch', () => {
    const calls = [
      { target: other, value: 5n, data: '0x' },
      { target: token, value: 0n, data: transfer },
    ]
    const [to, values, data] = [
      [other, token],
      [5n, 0n],
      ['0x', transfer],
    ] as const
    for (const callData of [
      encode('executeBatch', [calls]),
      encode('executeWithSessionKey', [calls, key]),
      light.batch(to, values, data),
    ])
      expect(read(callData)).toEqual({ acts: asRead })
    expect(read(light.plain(to, data))).toEqual({ acts: [{ ...asRead[0], value: '0' }, asRead[1]] })
    expect(read(execute(token, 0n, transfer))).toEqual({ acts: [asRead[1]] })
    // Modular Account v2 prepends the selector of executeUserOp.
    expect(read(concatHex(['0x8dd7712f', execute(token, 0n, transfer)]))).toEqual({ acts: [asRead[1]] })
    expect(read('0x')).toEqual({ acts: [] })
  })

  test('reads the same from data in upper case', () => {
    expect(read(`0x${execute(token, 0n, transfer).slice(2).toUpperCase()}`)).toEqual({ acts: [asRead[1]] })
  })

  test('calls a function that it does not know a call, but only of other contracts', () => {
    expect(read(execute(other, 1n, encode('mint')))).toEqual({
      acts: [{ kind: 'call', to: other, value: '1', selector: toFunctionSelector('mint()') }],
    })
    for (const callData of [encode('mint'), execute(account, 0n, encode('mint')), '0x12', '0x12345678'] as const)
      expect(read(callData)).toHaveProperty('unread')
  })

  test.each([
    ['owner-change', 'updateOwners', [[other], [key]], { ownersAdded: [other], ownersRemoved: [key] }],
    ['owner-change', 'transferOwnership', [other], { ownersAdded: [other] }],
    ['upgrade', 'upgradeToAndCall', [other, '0x1234'], { implementation: other }],
    ['module-change', 'installPlugin', [other, zeroHash, '0x', []], { module: other }],
    ['module-change', 'installValidation', [`${other}0000000107`, [], '0x', []], { module: other }],
    ['session-key', 'addSessionKey', [other, zeroHash, []], {}],
  ] as const)('finds the %s of %s wherever it is called', (kind, name, args, rest) => {
    const own = encode(name, args)
    const selector = own.slice(0, 10)
    const act = { kind, to: account, value: '0', selector, ...rest }
    for (const callData of [
      own,
      execute(account, 0n, own),
      execute(account, 0n, execute(account, 0n, own)),
      encode('executeBatch', [[{ target: account, value: 0n, data: own }]]),
    ])
      expect(read(callData)).toEqual({ acts: [act] })
    // The target may be another account that this account owns, or one of its modules.
    expect(read(execute(other, 0n, own))).toEqual({ acts: [{ ...act, to: other }] })
  })

  test('tells an unlimited approval from a limited one', () => {
    const approval = { kind: 'approval', to: token, value: '0', token, spender: other }
    expect(read(execute(token, 0n, encode('approve', [other, 10n])))).toEqual({
      acts: [{ ...approval, selector: '0x095ea7b3', amount: '10' }],
    })
    for (const amount of [2n ** 256n - 1n, 2n ** 160n - 1n, 2n ** 96n - 1n])
      expect(read(execute(token, 0n, encode('approve', [other, amount])))).toMatchObject({
        acts: [{ isUnlimited: true }],
      })
    expect(read(execute(token, 0n, encode('setApprovalForAll', [other, true])))).toEqual({
      acts: [{ ...approval, selector: '0xa22cb465', isUnlimited: true }],
    })
    expect(read(execute(token, 0n, encode('setApprovalForAll', [other, false])))).toMatchObject({
      acts: [{ amount: '0' }],
    })
  })
})

describe('what cannot be read', () => {
  const whole = execute(token, 0n, encode('transfer', [other, 7n]))

  test.each([
    ['a byte too many', concatHex([whole, '0x00'])],
    ['a byte too few', whole.slice(0, -2)],
    ['padding that is not zero', `${whole.slice(0, -2)}01`],
    ['an address with more than 20 bytes', whole.replace('b61d27f6000000', 'b61d27f6000001')],
    ['lists of different lengths', light.plain([other, other], ['0x'])],
    ['trailing bytes behind executeUserOp', concatHex(['0x8dd7712f', whole, '0x00'])],
    ['arguments of an inner call', execute(token, 0n, concatHex([encode('approve', [other, 1n]), '0x00']))],
  ] as const)('refuses %s', (_, callData) => {
    expect(read(callData as Hex)).toHaveProperty('unread')
  })

  test('refuses offsets that name the same bytes twice', () => {
    const word = (value: number) => value.toString(16).padStart(64, '0')
    // Both elements of each list begin at the same offset.
    const list = (item: string) => [word(2), word(64), word(64), item].join('')
    const targets = [word(2), word(0), word(0)].join('')
    const bytes = list(word(0))
    const callData = `0x18dfb3c7${word(64)}${word(64 + 96)}${targets}${bytes}` as const
    expect(read(callData)).toHaveProperty('unread')
  })

  test('refuses nested calls of itself 50 deep, and lists longer than their data', () => {
    let nested: Hex = '0x'
    for (let depth = 0; depth < 50; depth++) nested = execute(account, 0n, nested)
    expect(read(nested)).toHaveProperty('unread')
    expect(read(`0x34fcd5be${'0'.repeat(62)}20${'f'.repeat(64)}`)).toHaveProperty('unread')
    expect(read(`0x34fcd5be${'0'.repeat(62)}20${'0'.repeat(56)}7fffffff`)).toHaveProperty('unread')
    expect(read(light.plain(Array(501).fill(other), Array(501).fill('0x')))).toHaveProperty('unread')
  })

  test.each(['é'.repeat(16), 'A1'.repeat(16), `${'a'.repeat(31)}\n`])(
    'refuses the message %j, whose 32 bytes could be a digest that was searched for',
    (text) => {
      expect(readIntent({ kind: 'message', text, bytes: 32 })).toHaveProperty('unread')
    },
  )

  test('refuses a digest, and a message of 32 bytes that is no text', () => {
    expect(readIntent({ kind: 'digest' })).toHaveProperty('unread')
    expect(readIntent({ kind: 'message', text: undefined, bytes: 32 })).toHaveProperty('unread')
    expect(readIntent({ kind: 'message', text: 'a'.repeat(32), bytes: 32 })).toEqual({
      acts: [{ kind: 'message', text: 'a'.repeat(32) }],
    })
  })
})

describe('typed data', () => {
  const toMembers = (definition: string) =>
    definition.split(',').map((member) => {
      const [type = '', name = ''] = member.split(' ')
      return { type, name }
    })
  const sign = (primaryType: string, definition: string, message: Record<string, unknown>) =>
    readIntent({
      kind: 'typed-data',
      domain: { name: 'App', verifyingContract: token },
      types: { [primaryType]: toMembers(definition) },
      primaryType,
      message,
    })
  const permit = 'address owner,address spender,uint256 value,uint256 nonce,uint256 deadline'

  test('reads permits of tokens and of Permit2', () => {
    const approval = { kind: 'approval', token, spender: other }
    expect(sign('Permit', permit, { spender: other, value: '9' })).toEqual({ acts: [{ ...approval, amount: '9' }] })
    expect(sign('Permit', permit, { spender: other, value: `0x${'f'.repeat(64)}` })).toMatchObject({
      acts: [{ isUnlimited: true }],
    })
    const single = sign('PermitSingle', 'PermitDetails details,address spender,uint256 sigDeadline', {
      details: { token: key, amount: 3 },
      spender: other,
    })
    expect(single).toEqual({ acts: [{ ...approval, token: key, amount: '3' }] })
    // An unknown variant could approve anything.
    expect(sign('PermitWitnessTransferFrom', 'bytes32 witness', {})).toMatchObject({ acts: [{ isUnlimited: true }] })
  })

  test('reads a deferred action, and the user operations of EntryPoint 0.8 and 0.9', () => {
    const signAction = (call?: Hex) => sign('DeferredAction', 'uint256 nonce,uint48 deadline,bytes call', { call })
    const install = encode('installValidation', [`0x${'bb'.repeat(25)}`, ['0xb61d27f6'], '0x', []])
    expect(signAction(install)).toMatchObject({
      acts: [
        { kind: 'deferred-action', to: token },
        { kind: 'module-change', module: `0x${'bb'.repeat(20)}` },
      ],
    })
    for (const call of [undefined, '0x12345678', `${install}00`] as const)
      expect(signAction(call)).toHaveProperty('unread')
    const callData = execute(account, 0n, encode('transferOwnership', [other]))
    expect(sign('PackedUserOperation', 'address sender,bytes callData', { sender: account, callData })).toMatchObject({
      acts: [{ kind: 'owner-change', ownersAdded: [other] }],
    })
    expect(sign('PackedUserOperation', 'address sender', { sender: account })).toHaveProperty('unread')
  })

  test('does not read the digest in an account’s wrapper', () => {
    expect(sign('ReplaySafeHash', 'bytes32 hash', { hash: zeroHash })).toHaveProperty('unread')
    expect(sign('LightAccountMessage', 'bytes message', { message: zeroHash })).toHaveProperty('unread')
  })

  test('names the application of any other struct', () => {
    expect(sign('Mail', 'string text', { text: 'Hello' })).toEqual({
      acts: [{ kind: 'typed-data', application: 'App', primaryType: 'Mail' }],
    })
  })
})

test('reads transactions and authorizations of the key', () => {
  const transaction = { kind: 'transaction', from: key, to: token, value: 0n, delegates: [] } as const
  expect(readIntent({ ...transaction, data: encode('transfer', [other, 7n]) })).toMatchObject({
    acts: [{ kind: 'token-transfer', amount: '7' }],
  })
  expect(readIntent({ ...transaction, to: undefined, data: '0x60' })).toEqual({
    acts: [{ kind: 'deploy', value: '0' }],
  })
  expect(readIntent({ ...transaction, data: '0x', value: 1n, delegates: [other] })).toEqual({
    acts: [
      { kind: 'transfer', to: token, value: '1' },
      { kind: 'delegation', delegate: other },
    ],
  })
  // The key's own address may have the code of an account.
  const own = execute(key, 0n, encode('transferOwnership', [other]))
  expect(readIntent({ ...transaction, to: key, data: own })).toMatchObject({ acts: [{ kind: 'owner-change' }] })
  expect(readIntent({ ...transaction, to: key, data: encode('mint') })).toHaveProperty('unread')
  expect(readIntent({ kind: 'authorization', delegate: other })).toEqual({
    acts: [{ kind: 'delegation', delegate: other }],
  })
})

test('prints one canonical JSON, whatever the order of members', () => {
  expect(toIntentJson({ acts: [{ to: other, kind: 'transfer', value: '1' }] })).toBe(
    `{"acts":[{"kind":"transfer","to":"${other}","value":"1"}]}`,
  )
  expect(toIntentJson({ unread: 'no' })).toBe('{"unread":"no"}')
})
