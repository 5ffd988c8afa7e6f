import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { compareAbis } from '@latchkey/testkit/contracts/compareAbis'
import {
  call,
  createOperation,
  createSemiModularAccount,
  encode,
  execute,
  forever,
  handle,
  isSignature,
  isUserOp,
  isValid,
  type ModularV2TestAccount,
  modules,
  preHook,
  runtimeCall,
  signDigest,
  singleSigner,
  toConfig,
  validate,
  validationHook,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import {
  nativeTokenLimitModuleAbi,
  paymasterGuardModuleAbi,
  singleSignerValidationModuleAbi,
  timeRangeModuleAbi,
} from '@latchkey/testkit/contracts/modularAccountV2Abis'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { createSessionKeyV2 } from '@latchkey/testkit/contracts/sessionKeysV2'
import { test } from '@latchkey/testkit/contracts/test'
import { type Address, concat, encodeFunctionData, type Hex, hashMessage, parseEther, toHex, zeroAddress } from 'viem'
import { expect } from 'vitest'

const nobody = '0x000000000000000000000000000000000000dEaD'
const { NativeTokenLimitModule, PaymasterGuardModule, TimeRangeModule } = modules

let chain: TestChain
let it: ModularV2TestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})
test.beforeEach(async () => {
  it = await createSemiModularAccount(chain)
})

const hook = (module: Address, entityId: number, flags: number, data: Hex) =>
  concat([toConfig(module, entityId, flags), data])
const batch = (...calls: { target: Address; value?: bigint; data?: Hex }[]) =>
  call(
    'executeBatch',
    calls.map((each) => ({ value: 0n, data: '0x', ...each })),
  )
const revertOf = async (operation: Promise<Parameters<typeof validate>[2]>) =>
  (await readRevert(validate(chain, it, await operation))).name
const limitOf = (entityId = 7) =>
  it.read.readContract({
    address: NativeTokenLimitModule,
    abi: nativeTokenLimitModuleAbi,
    functionName: 'limits',
    args: [BigInt(entityId), it.address],
  })
const asOwner = async (target: Address, abi: typeof nativeTokenLimitModuleAbi, functionName: string, args: unknown[]) =>
  handle(chain, await createOperation(chain, it, execute(target, 0n, encodeFunctionData({ abi, functionName, args }))))

test.each([
  ['SingleSignerValidationModule', singleSignerValidationModuleAbi],
  ['NativeTokenLimitModule', nativeTokenLimitModuleAbi],
  ['PaymasterGuardModule', paymasterGuardModuleAbi],
  ['TimeRangeModule', timeRangeModuleAbi],
])('has the published ABI (%s)', (name, published) => {
  expect(compareAbis(readArtifact(name).abi, published)).toEqual({ missing: [], extra: [] })
})

/** Limits the total value of the key's calls to 10 wei. */
const valueLimited = (selectors?: Hex[]) =>
  createSessionKeyV2(
    chain,
    it,
    [hook(NativeTokenLimitModule, 7, preHook, encode('uint32,uint256', 7, 10n))],
    selectors ? { selectors } : {},
  )

test('lets a key spend native token up to its limit, in single calls and batches', async () => {
  const { signInContext } = await valueLimited()
  expect(await handle(chain, await signInContext(execute(nobody, 4n)))).toMatchObject([{ success: true }])
  const twice = batch({ target: nobody, value: 2n }, { target: nobody, value: 3n })
  expect(await handle(chain, await signInContext(twice))).toMatchObject([{ success: true }])
  expect(await limitOf()).toBe(1n)
  const exceeded = [{ success: false, reason: '0x94c58c94' }]
  expect(await handle(chain, await signInContext(execute(nobody, 2n)))).toEqual(exceeded)
  expect(await handle(chain, await signInContext(twice))).toEqual(exceeded)
  expect(await limitOf()).toBe(1n)
  // Calls of the owner do not use up the limit, and the account can reset it.
  await handle(chain, await createOperation(chain, it, execute(nobody, 50n)))
  await asOwner(NativeTokenLimitModule, nativeTokenLimitModuleAbi, 'updateLimits', [7, 3n])
  expect(await handle(chain, await signInContext(execute(nobody, 2n)))).toMatchObject([{ success: true }])
})

test('counts the value of contracts that a key creates', async () => {
  const { signInContext } = await valueLimited(['0x5998db5c', '0x34fcd5be'])
  const create = call('performCreate', 11n, '0x600160005360016000f3', false, toHex(0, { size: 32 }))
  for (const data of [create, batch({ target: it.address, data: create })])
    expect(await handle(chain, await signInContext(data))).toEqual([{ success: false, reason: '0x94c58c94' }])
})

test('counts what a call with the runtime validation spends', async () => {
  const { key } = await valueLimited()
  const data = runtimeCall(execute(nobody, 11n), 5, 0)
  await expect(it.read.call({ account: key.address, to: it.address, data })).rejects.toThrow('0x94c58c94')
  const by = it.read.call({ account: key.address, to: it.address, data: runtimeCall(execute(nobody, 10n), 5, 0) })
  expect(await by).toBeDefined()
})

test('lets a key’s operations cost up to its limit, unless a paymaster pays', async () => {
  const limit = parseEther('0.02')
  const install = encode('uint32,uint256', 7, limit)
  const { sign } = await createSessionKeyV2(chain, it, [hook(NativeTokenLimitModule, 7, validationHook, install)])
  const gas = { verificationGasLimit: 1_000_000n, callGasLimit: 900_000n, preVerificationGas: 100_000n }
  // The cost of 2,000,000 gas at 2 gwei.
  expect(await handle(chain, await sign(execute(nobody, 1n), gas))).toMatchObject([{ success: true }])
  expect(await limitOf()).toBe(limit - 4_000_000_000_000_000n)
  const greedy = { ...gas, callGasLimit: 9_000_000n }
  expect(await revertOf(sign(execute(nobody), greedy))).toBe('ExceededNativeTokenLimit')
  const sponsored = {
    ...greedy,
    paymaster: nobody,
    paymasterVerificationGasLimit: 1n,
    paymasterPostOpGasLimit: 1n,
    paymasterData: '0x',
  } as const
  expect(await validate(chain, it, await sign(execute(nobody), sponsored))).toBe(forever)
  // A paymaster that the account repays.
  await asOwner(NativeTokenLimitModule, nativeTokenLimitModuleAbi, 'updateSpecialPaymaster', [nobody, true])
  expect(await revertOf(sign(execute(nobody), sponsored))).toBe('ExceededNativeTokenLimit')
})

test('makes a key use its paymaster', async () => {
  const paymaster = (await chain.freshAccount()).address
  const install = encode('uint32,address', 7, paymaster)
  const { sign } = await createSessionKeyV2(chain, it, [hook(PaymasterGuardModule, 7, validationHook, install)])
  const gas = { paymasterVerificationGasLimit: 1n, paymasterPostOpGasLimit: 1n, paymasterData: '0x' } as const
  expect(await validate(chain, it, await sign(execute(nobody), { paymaster, ...gas }))).toBe(forever)
  expect(await revertOf(sign(execute(nobody), { paymaster: nobody, ...gas }))).toBe('BadPaymasterSpecified')
  expect(await revertOf(sign(execute(nobody)))).toBe('BadPaymasterSpecified')
  const none = call('installValidation', toConfig(singleSigner.address, 6, 1), [], '0x', [
    hook(PaymasterGuardModule, 8, validationHook, encode('uint32,address', 8, zeroAddress)),
  ])
  const refused = it.read.call({ account: it.address, to: it.address, data: none })
  await expect(refused).rejects.toThrow('0x1672bd93')
})

test('limits a key to a time', async () => {
  const { timestamp } = await it.read.getBlock()
  const [until, after] = [Number(timestamp) + 1000, Number(timestamp) - 1000]
  const install = encode('uint32,uint48,uint48', 7, until, after)
  const { sign, key } = await createSessionKeyV2(chain, it, [hook(TimeRangeModule, 7, validationHook, install)])
  expect(await validate(chain, it, await sign(execute(nobody)))).toBe((BigInt(after) << 208n) | (BigInt(until) << 160n))
  expect(await handle(chain, await sign(execute(nobody, 1n)))).toMatchObject([{ success: true }])
  const direct = { account: key.address, to: it.address, data: runtimeCall(execute(nobody), 5, 0) }
  expect(await it.read.call(direct)).toBeDefined()

  const set = (...range: number[]) => asOwner(TimeRangeModule, timeRangeModuleAbi, 'setTimeRange', [7, ...range])
  await set(after + 1, after)
  expect((await readRevert(handle(chain, await sign(execute(nobody))))).args[1]).toMatch(/^AA22/)
  await expect(it.read.call(direct)).rejects.toThrow('0x22863066')
  await set(0, until)
  expect((await readRevert(handle(chain, await sign(execute(nobody))))).args[1]).toMatch(/^AA22/)
  await expect(it.read.call(direct)).rejects.toThrow('0x22863066')
  expect(await set(after, until)).toEqual([{ success: false, reason: '0x22863066' }])
})

test.each([
  ['NativeTokenLimitModule', NativeTokenLimitModule, encode('uint32,uint256', 7, 10n ** 18n)],
  ['PaymasterGuardModule', PaymasterGuardModule, encode('uint32,address', 7, nobody)],
  ['TimeRangeModule', TimeRangeModule, encode('uint32,uint48,uint48', 7, 0, 0)],
])('takes no data for its hook, and allows no signature (%s)', async (_, module, install) => {
  const hooks = [hook(module, 7, validationHook, install)]
  const { sign, key } = await createSessionKeyV2(chain, it, hooks, { flags: isUserOp | isSignature })
  const paymaster = { paymaster: nobody, paymasterVerificationGasLimit: 1n, paymasterPostOpGasLimit: 1n } as const
  const fields = { ...paymaster, paymasterData: '0x' } as const
  expect(await revertOf(sign(execute(nobody), { ...fields, prefix: '0x0000000001aa' }))).toBe('UnexpectedDataPassed')
  expect(typeof (await validate(chain, it, await sign(execute(nobody), fields)))).toBe('bigint')
  const hash = hashMessage('hello')
  const signature = await signDigest(chain, it, key, hash, { entityId: 5, module: singleSigner.address })
  expect((await readRevert(isValid(it, hash, signature))).name).toBe('NotImplemented')
})

test.each([
  ['NativeTokenLimitModule', NativeTokenLimitModule, encode('uint32,uint256', 7, 10n), 'limits'],
  ['PaymasterGuardModule', PaymasterGuardModule, encode('uint32,address', 7, nobody), 'paymasters'],
  ['TimeRangeModule', TimeRangeModule, encode('uint32,uint48,uint48', 7, 9, 8), 'timeRanges'],
])('forgets its state when it is uninstalled with data (%s)', async (_, module, install, getter) => {
  await createSessionKeyV2(chain, it, [hook(module, 7, validationHook, install)])
  const abi = [...nativeTokenLimitModuleAbi, ...paymasterGuardModuleAbi, ...timeRangeModuleAbi]
  const read = async () => {
    const args = [getter === 'limits' ? 7n : 7, it.address]
    const value = await it.read.readContract({ address: module, abi, functionName: getter, args })
    return [value].flat().map((each) => BigInt(each as string | number | bigint))
  }
  const before = await read()
  expect(before.every((each) => each > 0n)).toBe(true)
  const remove = (hookData: Hex[]) =>
    call('uninstallValidation', toConfig(singleSigner.address, 5, 0).slice(0, -2), encode('uint32', 5), hookData)
  await handle(chain, await createOperation(chain, it, remove([])))
  // Uninstalling without data keeps the state, which then applies to a key installed under the same id.
  expect(await read()).toEqual(before)
  await createSessionKeyV2(chain, it, [toConfig(module, 7, validationHook)])
  await handle(chain, await createOperation(chain, it, remove([encode('uint32', 7)])))
  expect((await read()).every((each) => each === 0n)).toBe(true)
})
