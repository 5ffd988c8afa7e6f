import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import {
  call,
  createModularAccountV2,
  createOperation,
  createSemiModularAccount,
  entryPoint,
  execute,
  handle,
  isValid,
  type ModularV2TestAccount,
  modularAccountV2,
  modules,
  runtimeCall,
  signDigest,
  singleSigner,
  toEntity,
  validate,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import {
  modularAccountV2Abi,
  semiModularBytecodeAbi,
  semiModularStorageOnlyAbi,
} from '@latchkey/testkit/contracts/modularAccountV2Abis'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import {
  type Address,
  concat,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  hashMessage,
  keccak256,
  toHex,
} from 'viem'
import { expect } from 'vitest'

let chain: TestChain
let semi: ModularV2TestAccount
let modular: ModularV2TestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  semi = await createSemiModularAccount(chain)
  modular = await createModularAccountV2(chain)
})
const accounts = [
  { kind: 'semi-modular', get: () => semi },
  { kind: 'modular', get: () => modular },
]
const each = test.each(accounts)

const mint = (to: Address, value: bigint) =>
  encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [to, value] })
const demoOf = (address: Address) =>
  semi.read.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })
const batch = (...calls: { target: Address; data: Hex; value?: bigint }[]) =>
  call(
    'executeBatch',
    calls.map((each) => ({ value: 0n, ...each })),
  )
const revertOf = async (it: ModularV2TestAccount, callData: Hex) =>
  await readRevert(validate(chain, it, await createOperation(chain, it, callData)))
const direct = (it: ModularV2TestAccount, functionName: string, args: unknown[], account: Address) =>
  readRevert(it.read.simulateContract({ ...it.account, functionName, args, account }))

test.each([
  ['ModularAccount', modularAccountV2Abi],
  ['SemiModularAccountBytecode', semiModularBytecodeAbi],
  ['SemiModularAccountStorageOnly', semiModularStorageOnlyAbi],
])('has the published ABI (%s)', (name, published) => {
  const { missing, extra } = compareAbis(readArtifact(name).abi, published)
  expect(missing).toEqual([])
  expect(extra).toEqual(['error NotInitializing()', 'fallback() payable', 'receive() payable'].map(stripPayable))
})
const stripPayable = (line: string) => line.replace(' payable', '')

test('keeps every contract below the code size limit (EIP-170)', () => {
  const names = ['ModularAccount', 'SemiModularAccountBytecode', 'SemiModularAccountStorageOnly']
  for (const name of names)
    expect((readArtifact(name).deployedBytecode.length - 2) / 2, name).toBeLessThanOrEqual(24_576)
})

test('accepts the signature of the makers’ vector', async () => {
  // The makers' package signed this user operation hash with the key 0x11…11.
  const userOpHash = '0xe4e538e9c5d8b9e37739cf3733349fb0fc4b5b8ad6802f590edb4f84724e3149'
  const signature =
    '0xff008a0464c80b05a7be71e9a30153d848fcc6e0c3419926befca55b9506689e8a0c0cf983cb66c8049263429a64a14b4879d6c876f8bf9d70d3e92e52029c9b365b1b'
  const it = await createSemiModularAccount(chain, '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A')
  const operation = await createOperation(chain, it, execute(demo))
  const zero = toHex(0, { size: 32 })
  const packed = {
    ...operation,
    initCode: '0x',
    accountGasLimits: zero,
    gasFees: zero,
    paymasterAndData: '0x',
    signature,
  }
  const request = { ...it.account, functionName: 'validateUserOp', args: [packed, userOpHash, 0n], account: entryPoint }
  expect((await it.read.simulateContract(request)).result).toBe(0n)
})

each('runs an operation that its owner signed ($kind)', async ({ get }) => {
  const it = get()
  const to = it.stranger.address
  const before = await it.read.getBalance({ address: to })
  expect(await handle(chain, await createOperation(chain, it, execute(to, 7n)))).toEqual([
    { success: true, reason: '0x' },
  ])
  expect(await it.read.getBalance({ address: to })).toBe(before + 7n)
})

each('refuses an operation that somebody else signed ($kind)', async ({ get }) => {
  const it = get()
  const operation = await createOperation(chain, it, execute(demo), { signer: it.stranger })
  expect(await validate(chain, it, operation)).toBe(1n)
  expect(await readRevert(handle(chain, operation))).toEqual({ name: 'FailedOp', args: [0n, 'AA24 signature error'] })
})

each('takes operations from the entry point alone ($kind)', async ({ get }) => {
  const it = get()
  const operation = await createOperation(chain, it, execute(demo))
  const zero = toHex(0, { size: 32 })
  const packed = { ...operation, initCode: '0x', accountGasLimits: zero, gasFees: zero, paymasterAndData: '0x' }
  for (const caller of [it.owner.address, it.stranger.address, it.address]) {
    const refused = { name: 'NotEntryPoint', args: [] }
    expect(await direct(it, 'validateUserOp', [packed, zero, 0n], caller)).toEqual(refused)
    expect(await direct(it, 'executeUserOp', [packed, zero], caller)).toEqual(refused)
  }
})

each('executes all calls of a batch or none ($kind)', async ({ get }) => {
  const it = get()
  const [a, b] = [(await chain.freshAccount()).address, (await chain.freshAccount()).address]
  const calls = [
    { target: demo, data: mint(a, 5n) },
    { target: demo, data: mint(b, 6n) },
  ] as const
  await handle(chain, await createOperation(chain, it, batch(...calls)))
  expect([await demoOf(a), await demoOf(b)]).toEqual([5n, 6n])
  const failing = await createOperation(chain, it, batch(calls[0], { target: demo, data: '0xdeadbeef' }))
  expect(await handle(chain, failing)).toMatchObject([{ success: false }])
  expect(await demoOf(a)).toBe(5n)
})

each('calls itself in a batch, but never wraps execute ($kind)', async ({ get }) => {
  const it = get()
  const target = it.address
  const tooDeep = { name: 'SelfCallRecursionDepthExceeded', args: [] }
  expect(await revertOf(it, execute(target, 0n, execute(demo)))).toEqual(tooDeep)
  expect(await revertOf(it, batch({ target, data: execute(demo) }))).toEqual(tooDeep)
  expect(await revertOf(it, batch({ target, data: batch() }))).toEqual(tooDeep)
  const unknown = { name: 'ValidationFunctionMissing', args: ['0xdeadbeef'] }
  expect(await revertOf(it, batch({ target, data: '0xdeadbeef' }))).toEqual(unknown)
  expect((await revertOf(it, batch({ target, data: '0xdead' }))).name).toBe('UnrecognizedFunction')
  const create = call('performCreate', 0n, '0x', false, toHex(0, { size: 32 }))
  expect(await validate(chain, it, await createOperation(chain, it, batch({ target, data: create })))).toBe(0n)
})

each('says which functions a validation does not have ($kind)', async ({ get }) => {
  const it = get()
  const missing = ['0xdeadbeef', call('accountId'), call('initialize', demo), runtimeCall('0x')] as const
  for (const data of missing) {
    const expected = { name: 'ValidationFunctionMissing', args: [data.slice(0, 10)] }
    expect(await revertOf(it, data)).toEqual(expected)
  }
  for (const data of ['0x', '0xb61d27'] as const) expect((await revertOf(it, data)).name).toBe('UnrecognizedFunction')
  const selected = await createOperation(chain, it, execute(demo), { options: 0 })
  expect((await readRevert(validate(chain, it, selected))).name).toBe('ValidationFunctionMissing')
  const other = await createOperation(chain, it, execute(demo), { entityId: 9 })
  expect((await readRevert(validate(chain, it, other))).name).toBe('ValidationFunctionMissing')
})

each('refuses direct calls of everybody, its owner included ($kind)', async ({ get }) => {
  const it = get()
  for (const caller of [it.owner.address, it.stranger.address, modules.SingleSignerValidationModule]) {
    const refused = { name: 'ValidationFunctionMissing', args: ['0xb61d27f6'] }
    expect(await direct(it, 'execute', [demo, 0n, '0x'], caller)).toEqual(refused)
  }
})

each('runs a call that its owner makes, with the value along ($kind)', async ({ get }) => {
  const it = get()
  const to = (await chain.freshAccount()).address
  const before = await it.read.getBalance({ address: to })
  const own = await it.read.getBalance({ address: it.address })
  await it.by.transact({ to: it.address, data: runtimeCall(execute(to, 3n), it.entityId), value: 3n })
  expect(await it.read.getBalance({ address: to })).toBe(before + 3n)
  expect(await it.read.getBalance({ address: it.address })).toBe(own)
  const authorization = concat([toHex(1, { size: 1 }), toHex(it.entityId, { size: 4 }), '0xff'])
  const args = [execute(to), authorization]
  const name = it === semi ? 'FallbackSignerMismatch' : 'NotAuthorized'
  expect(await direct(it, 'executeWithRuntimeValidation', args, it.stranger.address)).toEqual({ name, args: [] })
})

each('verifies signatures in its own domain (ERC-1271, $kind)', async ({ get }) => {
  const it = get()
  const hash = hashMessage('hello')
  const who = { entityId: it.entityId, ...(it === modular && { module: singleSigner.address }) }
  const good = await signDigest(chain, it, it.owner, hash, who)
  expect(await isValid(it, hash, good)).toBe('0x1626ba7e')
  expect(await isValid(it, keccak256(hash), good)).toBe('0xffffffff')
  expect(await isValid(it, hash, await signDigest(chain, it, it.stranger, hash, who))).toBe('0xffffffff')
  const other = await signDigest(chain, { address: demo }, it.owner, hash, who)
  expect(await isValid(it, hash, other)).toBe('0xffffffff')
  const bare = concat([toHex(it.entityId, { size: 5 }), '0xff00', await it.owner.sign({ hash })])
  expect(await isValid(it, hash, bare)).toBe('0xffffffff')
  expect(await readRevert(isValid(it, hash, `${good.slice(0, 14)}02${good.slice(16)}` as Hex))).toMatchObject({
    name: 'InvalidSignatureType',
  })
  expect((await readRevert(isValid(it, hash, concat([toHex(77, { size: 5 }), '0xff00'])))).name).toBe(
    'SignatureValidationInvalid',
  )
})

each('creates contracts ($kind)', async ({ get }) => {
  const it = get()
  // Returns code that consists of one byte.
  const initCode = '0x600160005360016000f3'
  const salt = toHex(5, { size: 32 })
  const expected = getContractAddress({ opcode: 'CREATE2', from: it.address, salt, bytecode: initCode })
  const create = (code: Hex, isCreate2: boolean) => call('performCreate', 0n, code, isCreate2, salt)
  await handle(chain, await createOperation(chain, it, create(initCode, true)))
  expect(await it.read.getCode({ address: expected })).toBe('0x01')
  const args = [0n, '0xfe', false, salt]
  expect(await direct(it, 'performCreate', args, it.address)).toEqual({ name: 'CreateFailed', args: [] })
})

each('answers what it is ($kind)', async ({ get }) => {
  const it = get()
  const read = (functionName: string, ...args: unknown[]) => it.read.readContract({ ...it.account, functionName, args })
  expect(await read('entryPoint')).toBe(entryPoint)
  expect(await read('accountId')).toBe(it === semi ? 'alchemy.sma-bytecode.1.0.0' : 'alchemy.modular-account.2.0.0')
  for (const id of ['0x01ffc9a7', '0x150b7a02', '0x4e2312e0', '0x19822f7c', '0x8dd7712f', '0x1626ba7e'])
    expect(await read('supportsInterface', id), id).toBe(true)
  for (const id of ['0xffffffff', '0xdeadbeef']) expect(await read('supportsInterface', id), id).toBe(false)
  expect(await read('getExecutionData', '0xb61d27f6')).toEqual({
    module: it.address,
    skipRuntimeValidation: false,
    allowGlobalValidation: true,
    executionHooks: [],
  })
  const entity = it === semi ? toHex(0, { size: 24 }) : toEntity(singleSigner.address, 1)
  const everything = { validationFlags: 7, validationHooks: [], executionHooks: [], selectors: [] }
  expect(await read('getValidationData', entity)).toEqual(everything)
  expect(await read('getValidationData', toEntity(demo, it.entityId))).toEqual({ ...everything, validationFlags: 0 })
  const token = { ...it.account, functionName: 'onERC721Received', args: [demo, demo, 1n, '0x'] }
  expect((await it.read.simulateContract(token)).result).toBe('0x150b7a02')
})

each('refuses a function that it does not have ($kind)', async ({ get }) => {
  const it = get()
  await it.by.transact({ to: it.address, value: 1n })
  const selector = '0xfcfc5aad'
  await expect(it.read.call({ to: it.address, data: '0xdeadbeef', account: entryPoint })).rejects.toThrow(selector)
})

test('gives nobody control over an implementation contract', async () => {
  const { read, owner } = semi
  for (const address of [modularAccountV2.implementation, modularAccountV2.semiModularStorageOnly]) {
    const it = { ...semi, address, account: { ...semi.account, address } }
    expect((await direct(it, 'execute', [demo, 0n, '0x'], owner.address)).name).toBe('ValidationFunctionMissing')
    const call = { ...it.account, functionName: 'upgradeToAndCall', args: [demo, '0x'], account: owner.address }
    expect((await readRevert(read.simulateContract(call))).name).toBe('UnauthorizedCallContext')
  }
  const initialize = [modularAccountV2.semiModularStorageOnly, call('initialize', owner.address)] as const
  await expect(read.call({ to: initialize[0], data: initialize[1] })).rejects.toThrow('0xf92ee8a9')
})
