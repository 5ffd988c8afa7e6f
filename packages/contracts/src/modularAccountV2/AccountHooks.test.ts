import type { TestChain } from '@latchkey/testkit/chain'
import {
  call,
  createOperation,
  createSemiModularAccount,
  entryPoint,
  execute,
  handle,
  inContext,
  isGlobal,
  isSignature,
  isUserOp,
  isValid,
  type ModularV2TestAccount,
  type OperationFields,
  postHook,
  preHook,
  runtimeCall,
  toConfig,
  toEntity,
  toLocator,
  validate,
  validationHook,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { askedAbi, askedIn, deployModule, type ScriptedModule } from '@latchkey/testkit/contracts/scriptedModules'
import { test } from '@latchkey/testkit/contracts/test'
import {
  type Address,
  concat,
  decodeFunctionData,
  encodeAbiParameters,
  type Hex,
  hashMessage,
  numberToHex,
  size,
  toHex,
} from 'viem'
import { toPackedUserOperation } from 'viem/account-abstraction'
import { expect } from 'vitest'

const nobody = '0x000000000000000000000000000000000000dEaD'
const everything = isUserOp | isSignature | isGlobal

let chain: TestChain
let module: ScriptedModule
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  module = await deployModule(chain)
})

async function createHooked(hooks: readonly Hex[], selectors: readonly Hex[] = [], flags = everything) {
  const it = await createSemiModularAccount(chain)
  const data = call('installValidation', toConfig(module.address, 1, flags), selectors, '0x', hooks)
  expect(await handle(chain, await createOperation(chain, it, data))).toMatchObject([{ success: true }])
  return it
}

const segment = (index: number, data: Hex) =>
  concat([numberToHex(index, { size: 1 }), numberToHex(size(data), { size: 4 }), data])
const operationOf = (
  it: ModularV2TestAccount,
  signature: Hex,
  callData = execute(nobody),
  fields: OperationFields = {},
) => createOperation(chain, it, callData, { entityId: 1, signature, ...fields })
const word = (value: bigint) => encodeAbiParameters([{ type: 'uint256' }], [value])
const pack = (validAfter: bigint, validUntil: bigint, authorizer = 0n) =>
  (validAfter << 208n) | (validUntil << 160n) | authorizer

async function ran(it: ModularV2TestAccount, callData: Hex, signature: Hex) {
  const operation = await operationOf(it, signature, callData)
  const from = (await it.read.getBlockNumber()) + 1n
  const result = await handle(chain, operation)
  const asked = askedIn(await it.read.getLogs({ address: module.address, fromBlock: from }))
  return { result, asked: asked.map(({ data }) => decodeFunctionData({ abi: askedAbi, data })) }
}

test('runs pre hooks in order of installation and post hooks in reverse order', async () => {
  const it = await createHooked([
    module.hook(1, validationHook),
    module.hook(2, preHook | postHook),
    module.hook(3, validationHook),
    module.hook(4, preHook),
    module.hook(5, postHook),
  ])
  const { result, asked } = await ran(it, inContext(execute(nobody, 1n)), '0xffaa')
  expect(result).toMatchObject([{ success: true }])
  expect(asked.map(({ functionName, args }) => [functionName, args?.[0]])).toEqual([
    ['preUserOpValidationHook', 1],
    ['preUserOpValidationHook', 3],
    ['validateUserOp', 1],
    ['preExecutionHook', 2],
    ['preExecutionHook', 4],
    ['postExecutionHook', 5],
    ['postExecutionHook', 2],
  ])
  expect(asked.slice(-2).map(({ args }) => args?.[1])).toEqual(['0x', '0xc0'])
  const read = { ...it.account, functionName: 'getValidationData', args: [toEntity(module.address, 1)] }
  expect(await it.read.readContract(read)).toEqual({
    validationFlags: everything,
    validationHooks: [1, 3].map((id) => toConfig(module.address, id, validationHook)),
    executionHooks: [
      toConfig(module.address, 2, preHook | postHook),
      toConfig(module.address, 4, preHook),
      toConfig(module.address, 5, postHook),
    ],
    selectors: [],
  })
})

test('passes each hook its own data and the validation the rest', async () => {
  const it = await createHooked([1, 2, 3].map((id) => module.hook(id, validationHook)))
  const { asked } = await ran(it, execute(nobody, 1n), concat([segment(0, '0xaaaa'), segment(2, '0xcc'), '0xffdd']))
  const told = asked.map(({ args = [] }) => (args[1] as { signature: Hex }).signature)
  expect(told).toEqual(['0xaaaa', '0x', '0xcc', '0xdd'])
})

test('accepts one encoding of the data of hooks', async () => {
  const it = await createHooked([1, 2].map((id) => module.hook(id, validationHook)))
  const cases: [Hex, string][] = [
    [concat([segment(1, '0xaa'), segment(0, '0xbb'), '0xff']), 'ValidationSignatureSegmentMissing'],
    [concat([segment(0, '0xaa'), segment(0, '0xbb'), '0xff']), 'SegmentOutOfOrder'],
    [concat([segment(0, '0x'), '0xff']), 'NonCanonicalEncoding'],
    [concat([segment(0, '0xaa'), segment(1, '0xbb')]), 'ValidationSignatureSegmentMissing'],
    [concat([segment(2, '0xaa'), '0xff']), 'ValidationSignatureSegmentMissing'],
    [segment(0, '0xaa'), 'ValidationSignatureSegmentMissing'],
  ]
  for (const [signature, name] of cases)
    expect((await readRevert(validate(chain, it, await operationOf(it, signature)))).name, signature).toBe(name)
  // A length beyond the end must not read bytes of another part.
  const long = concat(['0x00', '0xffffffff', '0xaaff'])
  await expect(validate(chain, it, await operationOf(it, long))).rejects.toThrow()
})

test('allows what the validation and every hook allow', async () => {
  const it = await createHooked([module.hook(1, validationHook)])
  const cases: [bigint, bigint, bigint][] = [
    [0n, pack(5n, 50n), pack(5n, 50n)],
    [pack(10n, 40n), pack(5n, 50n), pack(10n, 40n)],
    [pack(1n, 90n), pack(5n, 0n), pack(5n, 90n)],
    [1n, pack(5n, 50n), pack(5n, 50n, 1n)],
    [pack(10n, 40n), 1n, pack(10n, 40n, 1n)],
  ]
  for (const [hook, validation, allowed] of cases) {
    await module.respond('preUserOpValidationHook', word(hook))
    await module.respond('validateUserOp', word(validation))
    expect(await validate(chain, it, await operationOf(it, '0xff'))).toBe(allowed)
  }
  await module.respond('preUserOpValidationHook', word(BigInt(nobody)))
  expect(await readRevert(validate(chain, it, await operationOf(it, '0xff')))).toEqual({
    name: 'UnexpectedAggregator',
    args: [toEntity(module.address, 1), nobody],
  })
  await module.respond('preUserOpValidationHook', word(0n))
  await module.respond('validateUserOp', word(0n))
})

test('needs the operation’s context for hooks around its execution', async () => {
  const it = await createHooked([module.hook(2, preHook)])
  const bare = validate(chain, it, await operationOf(it, '0xff'))
  expect(await readRevert(bare)).toEqual({ name: 'RequireUserOperationContext', args: [] })
  expect(await validate(chain, it, await operationOf(it, '0xff', inContext(execute(nobody))))).toBe(0n)
  const nested = await operationOf(it, '0xff', inContext(inContext(execute(nobody))))
  expect((await readRevert(validate(chain, it, nested))).name).toBe('ValidationFunctionMissing')
  const other = await operationOf(it, '0xff', inContext('0xdeadbeef'))
  expect((await readRevert(validate(chain, it, other))).args).toEqual(['0xdeadbeef'])
})

test('undoes an execution whose hook fails', async () => {
  const it = await createHooked([module.hook(2, preHook | postHook)])
  const before = await it.read.getBalance({ address: nobody })
  for (const name of ['preExecutionHook', 'postExecutionHook']) {
    await module.respond(name, '0xdeadbeef', true)
    const { result } = await ran(it, inContext(execute(nobody, 1n)), '0xff')
    expect(result).toEqual([{ success: false, reason: '0xdeadbeef' }])
    await module.respond(name, name === 'preExecutionHook' ? encodeAbiParameters([{ type: 'bytes' }], ['0xc0']) : '0x')
  }
  expect(await it.read.getBalance({ address: nobody })).toBe(before)
})

test('runs hooks around a call of its own and around a direct one', async () => {
  const it = await createHooked([module.hook(1, validationHook), module.hook(2, preHook | postHook)])
  const rest = concat([segment(0, '0xaa'), '0xffbb'])
  const { logs } = await it.by.transact({ to: it.address, data: runtimeCall(execute(nobody, 1n), 1, 1, rest) })
  const asked = askedIn(logs).map(({ data }) => decodeFunctionData({ abi: askedAbi, data }))
  expect(asked.map(({ functionName }) => functionName)).toEqual([
    'preRuntimeValidationHook',
    'validateRuntime',
    'preExecutionHook',
    'postExecutionHook',
  ])
  expect(asked[0]?.args?.slice(1)).toEqual([it.owner.address, 0n, execute(nobody, 1n), '0xaa'])
  expect(asked[1]?.args).toEqual([it.address, 1, it.owner.address, 0n, execute(nobody, 1n), '0xbb'])

  await module.respond('preRuntimeValidationHook', '0xdeadbeef', true)
  const refused = it.read.call({ account: it.owner.address, to: it.address, data: runtimeCall(execute(nobody), 1) })
  await expect(refused).rejects.toThrow('0xdeadbeef')
  await module.respond('preRuntimeValidationHook', '0x')
})

test('refuses a signature that a hook refuses', async () => {
  const it = await createHooked([module.hook(1, validationHook)])
  const hash = hashMessage('hello')
  await module.respond('validateSignature', '0x1626ba7e'.padEnd(66, '0') as Hex)
  expect(await isValid(it, hash, concat([toLocator(1), segment(0, '0xaa'), '0xffbb']))).toBe('0x1626ba7e')
  await module.respond('preSignatureValidationHook', '0xdeadbeef', true)
  await expect(isValid(it, hash, concat([toLocator(1), '0xff']))).rejects.toThrow('0xdeadbeef')
  await module.respond('preSignatureValidationHook', '0x')
})

test('refuses what the flags of a validation do not allow', async () => {
  const it = await createHooked([], ['0xb61d27f6'], 0)
  const entity = toEntity(module.address, 1)
  const operation = await operationOf(it, '0xff', execute(nobody), { options: 0 })
  expect(await readRevert(validate(chain, it, operation))).toEqual({ name: 'UserOpValidationInvalid', args: [entity] })
  const signed = isValid(it, hashMessage('hello'), concat([toLocator(1), '0xff']))
  expect(await readRevert(signed)).toEqual({ name: 'SignatureValidationInvalid', args: [entity] })
  const global = await operationOf(it, '0xff', execute(nobody), { options: 1 })
  expect((await readRevert(validate(chain, it, global))).name).toBe('ValidationFunctionMissing')
})

test('accepts direct calls only from the caller of a direct-call validation', async () => {
  const it = await createSemiModularAccount(chain)
  const direct = (caller: Address) => toConfig(caller, 0xffffffff, 0)
  const hooks = [module.hook(1, validationHook), module.hook(2, preHook | postHook)]
  const install = call('installValidation', direct(it.stranger.address), ['0xb61d27f6'], '0x', hooks)
  await handle(chain, await createOperation(chain, it, install))
  const by = chain.connect(it.stranger.privateKey)
  const { logs } = await by.transact({ to: it.address, data: execute(nobody, 1n) })
  const asked = askedIn(logs).map(({ data }) => decodeFunctionData({ abi: askedAbi, data }))
  expect(asked.map(({ functionName, args }) => [functionName, args?.[0]])).toEqual([
    ['preRuntimeValidationHook', 1],
    ['preExecutionHook', 2],
    ['postExecutionHook', 2],
  ])
  const attempt = (account: Address, data: Hex) => it.read.call({ account, to: it.address, data })
  const missing = '0xcf7b49f6'
  await expect(attempt(it.owner.address, execute(nobody))).rejects.toThrow(missing)
  await expect(attempt(it.stranger.address, call('executeBatch', []))).rejects.toThrow(missing)
  await expect(attempt(it.stranger.address, execute(it.address, 0n, '0x'))).rejects.toThrow('0x54ff929d')
  // Another module may have the same entity id, which is not unique among direct callers.
  const other = call('installValidation', toConfig(module.address, 0xffffffff, isGlobal), [], '0x', [])
  expect(await handle(chain, await createOperation(chain, it, other))).toMatchObject([{ success: true }])
  expect(await attempt(module.address, call('updateFallbackSignerData', nobody, false))).toMatchObject({})
})

test('names a direct-call validation in a nonce by its caller', async () => {
  const it = await createSemiModularAccount(chain)
  const config = toConfig(module.address, 0xffffffff, isUserOp | isGlobal)
  await handle(chain, await createOperation(chain, it, call('installValidation', config, [], '0x', [])))
  const nonce = ((BigInt(module.address) << 8n) | 5n) << 64n
  expect(await validate(chain, it, await operationOf(it, '0xff', execute(nobody), { nonce }))).toBe(0n)
  const wrong = ((BigInt(nobody) << 8n) | 5n) << 64n
  const refused = validate(chain, it, await operationOf(it, '0xff', execute(nobody), { nonce: wrong }))
  expect((await readRevert(refused)).name).toBe('ValidationFunctionMissing')
})

test('executes an operation by its context for the entry point alone', async () => {
  const it = await createHooked([])
  const operation = await operationOf(it, '0xff', inContext(execute(nobody)))
  const args = [toPackedUserOperation(operation), toHex(0, { size: 32 })]
  const request = (account: Address) =>
    it.read.simulateContract({ ...it.account, functionName: 'executeUserOp', args, account })
  expect(await readRevert(request(it.address))).toEqual({ name: 'NotEntryPoint', args: [] })
  expect(await request(entryPoint)).toBeDefined()
})

test('lets the owner’s operations have hooks, too', async () => {
  const it = await createSemiModularAccount(chain)
  const hooks = [module.hook(1, validationHook), module.hook(2, preHook)]
  const config = toHex(0, { size: 25 })
  await handle(chain, await createOperation(chain, it, call('installValidation', config, [], '0x', hooks)))
  const plain = await createOperation(chain, it, execute(nobody))
  expect((await readRevert(validate(chain, it, plain))).name).toBe('RequireUserOperationContext')
  const prefix = segment(0, '0xaa')
  const inside = await createOperation(chain, it, inContext(execute(nobody, 1n)), { prefix })
  expect(await handle(chain, inside)).toMatchObject([{ success: true }])
  await module.respond('preUserOpValidationHook', word(1n))
  const refused = await createOperation(chain, it, inContext(execute(nobody)), { prefix })
  expect(((await validate(chain, it, refused)) & 1n) === 1n).toBe(true)
  await module.respond('preUserOpValidationHook', word(0n))
})
