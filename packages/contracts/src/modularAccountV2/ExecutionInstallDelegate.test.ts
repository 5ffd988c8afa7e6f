import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import {
  accountAbi,
  call,
  createOperation,
  createSemiModularAccount,
  execute,
  handle,
  installSigner,
  isGlobal,
  isUserOp,
  type ModularV2TestAccount,
  modularAccountV2,
  postHook,
  preHook,
  toConfig,
  validate,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { ask, askedIn, deployModule, type ScriptedModule } from '@latchkey/testkit/contracts/scriptedModules'
import { test } from '@latchkey/testkit/contracts/test'
import { type Abi, type Address, type Hex, zeroAddress } from 'viem'
import { expect } from 'vitest'

const nobody = '0x000000000000000000000000000000000000dEaD'
const selector = '0xc0ffee00'
const abi: Abi = [...accountAbi, ...readArtifact('ExecutionInstallDelegate').abi.filter(({ type }) => type === 'error')]

let chain: TestChain
let it: ModularV2TestAccount
let module: ScriptedModule
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  module = await deployModule(chain)
})
test.beforeEach(async () => {
  it = await createSemiModularAccount(chain)
})

type Manifest = {
  executionFunctions?: object[]
  executionHooks?: object[]
  interfaceIds?: Hex[]
}
const added = (executionSelector: Hex, skipRuntimeValidation = false, allowGlobalValidation = false) => ({
  executionSelector,
  skipRuntimeValidation,
  allowGlobalValidation,
})
const hooked = (executionSelector: Hex, entityId: number, isPreHook = true, isPostHook = true) => ({
  executionSelector,
  entityId,
  isPreHook,
  isPostHook,
})
const manifestOf = (parts: Manifest) => ({ executionFunctions: [], executionHooks: [], interfaceIds: [], ...parts })
const run = async (data: Hex) => handle(chain, await createOperation(chain, it, data))
const install = (parts: Manifest, data: Hex = '0x') =>
  run(call('installExecution', module.address, manifestOf(parts), data))
const revertOf = (functionName: string, parts: Manifest, address: Address = module.address) => {
  const args = [address, manifestOf(parts), '0x']
  return readRevert(it.read.simulateContract({ address: it.address, abi, functionName, args, account: it.address }))
}
const dataOf = (of: Hex) => it.read.readContract({ ...it.account, functionName: 'getExecutionData', args: [of] })
const callFrom = (account: Address, data: Hex) => it.read.call({ account, to: it.address, data })

test('adds a function of a module, and removes it', async () => {
  const parts = { executionFunctions: [added(selector)], interfaceIds: ['0x12345678'] } as Manifest
  expect(await install(parts, '0xaa')).toMatchObject([{ success: true }])
  const expected = { module: module.address, skipRuntimeValidation: false, allowGlobalValidation: false }
  expect(await dataOf(selector)).toEqual({ ...expected, executionHooks: [] })
  const supports = { ...it.account, functionName: 'supportsInterface', args: ['0x12345678'] }
  expect(await it.read.readContract(supports)).toBe(true)
  // No validation lists the function, and none is global.
  const operation = await createOperation(chain, it, selector)
  expect((await readRevert(validate(chain, it, operation))).name).toBe('ValidationFunctionMissing')
  await expect(callFrom(it.stranger.address, selector)).rejects.toThrow('0xcf7b49f6')

  await run(installSigner(it.stranger.address, 5, { selectors: [selector] }))
  const fields = { signer: it.stranger, entityId: 5, options: 0 }
  const from = (await it.read.getBlockNumber()) + 1n
  await handle(chain, await createOperation(chain, it, `${selector}11`, fields))
  const asked = askedIn(await it.read.getLogs({ address: module.address, fromBlock: from }))
  expect(asked.map(({ data }) => data)).toEqual([`${selector}11`])

  expect(await run(call('uninstallExecution', module.address, manifestOf(parts), '0x'))).toMatchObject([
    { success: true },
  ])
  expect(await dataOf(selector)).toMatchObject({ module: zeroAddress })
  expect(await it.read.readContract(supports)).toBe(false)
  await expect(callFrom(it.address, selector)).rejects.toThrow('0xfcfc5aad')
})

test('opens a function to all, or to global validations, as its manifest says', async () => {
  await install({ executionFunctions: [added(selector, true), added('0xc0ffee01', false, true)] })
  expect(await callFrom(it.stranger.address, selector)).toBeDefined()
  await expect(callFrom(it.stranger.address, '0xc0ffee01')).rejects.toThrow('0xcf7b49f6')
  expect(await validate(chain, it, await createOperation(chain, it, '0xc0ffee01'))).toBe(0n)
  const closed = await createOperation(chain, it, selector)
  expect((await readRevert(validate(chain, it, closed))).name).toBe('ValidationFunctionMissing')
})

test('runs the hooks of a function inside those of its validation', async () => {
  const config = toConfig(module.address, 5, isUserOp | isGlobal)
  await run(call('installValidation', config, [], '0x', [module.hook(9, preHook | postHook)]))
  await install({ executionHooks: [hooked('0xb61d27f6', 1), hooked('0xb61d27f6', 2, true, false)] })
  const both = [toConfig(module.address, 1, preHook | postHook), toConfig(module.address, 2, preHook)]
  expect(await dataOf('0xb61d27f6')).toMatchObject({ module: it.address, executionHooks: both })
  const callData = `0x8dd7712f${execute(nobody, 1n).slice(2)}` as Hex
  const operation = await createOperation(chain, it, callData, { entityId: 5, signature: '0xff' })
  const from = (await it.read.getBlockNumber()) + 1n
  expect(await handle(chain, operation)).toMatchObject([{ success: true }])
  const asked = askedIn(await it.read.getLogs({ address: module.address, fromBlock: from }))
  const seen = asked.map(({ data }) => [data.slice(0, 10), Number(`0x${data.slice(10, 74)}`)])
  expect(seen.slice(1)).toEqual([
    [ask.preExecutionHook, 9],
    [ask.preExecutionHook, 1],
    [ask.preExecutionHook, 2],
    [ask.postExecutionHook, 1],
    [ask.postExecutionHook, 9],
  ])
  await run(call('uninstallExecution', module.address, manifestOf({ executionHooks: [hooked('0xb61d27f6', 1)] }), '0x'))
  expect(await dataOf('0xb61d27f6')).toMatchObject({ executionHooks: both.slice(1) })
})

test('refuses functions that are not a module’s to add', async () => {
  const functionsOf = (each: Hex) => ({ executionFunctions: [added(each)] })
  const native = ['0xb61d27f6', '0x1626ba7e', '0x30009d52', '0xc4d66de8'] as const
  for (const each of native)
    expect(await revertOf('installExecution', functionsOf(each))).toEqual({
      name: 'ExecutionFunctionAlreadySet',
      args: [each],
    })
  for (const name of ['onInstall', 'validateUserOp', 'preExecutionHook'])
    expect((await revertOf('installExecution', functionsOf(ask[name] ?? '0x'))).name).toBe('IModuleFunctionNotAllowed')
  // Selectors of validatePaymasterUserOp and postOp.
  for (const each of ['0x52b7512c', '0x7c627b21'] as const)
    expect((await revertOf('installExecution', functionsOf(each))).name).toBe('ERC4337FunctionNotAllowed')
  expect((await revertOf('installExecution', { interfaceIds: ['0xffffffff'] })).name).toBe('InterfaceNotAllowed')
  expect((await revertOf('installExecution', {}, zeroAddress)).name).toBe('NullModule')
  await install({ ...functionsOf(selector), executionHooks: [hooked(selector, 1)] })
  expect((await revertOf('installExecution', functionsOf(selector))).name).toBe('ExecutionFunctionAlreadySet')
  expect((await revertOf('installExecution', { executionHooks: [hooked(selector, 1)] })).name).toBe(
    'ExecutionHookAlreadySet',
  )
  expect((await revertOf('uninstallExecution', functionsOf(selector), nobody)).name).toBe('ExecutionFunctionNotSet')
})

test('works for accounts alone', async () => {
  const args = [module.address, manifestOf({}), '0x']
  const request = { address: modularAccountV2.executionInstallDelegate, abi, functionName: 'installExecution', args }
  expect((await readRevert(it.read.simulateContract(request))).name).toBe('OnlyDelegateCall')
})
