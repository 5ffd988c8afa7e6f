import type { TestChain } from '@latchkey/testkit/chain'
import {
  call,
  createOperation,
  createSemiModularAccount,
  encode,
  execute,
  handle,
  installSigner,
  isGlobal,
  isUserOp,
  type ModularV2TestAccount,
  preHook,
  runtimeCall,
  singleSigner,
  toConfig,
  toEntity,
  validate,
  validationHook,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { askedIn, deployModule, type ScriptedModule } from '@latchkey/testkit/contracts/scriptedModules'
import { test } from '@latchkey/testkit/contracts/test'
import { demo } from '@latchkey/testkit/demoToken'
import { concat, type Hex, parseEventLogs } from 'viem'
import { expect } from 'vitest'

const nobody = '0x000000000000000000000000000000000000dEaD'

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

const run = async (data: Hex) => handle(chain, await createOperation(chain, it, data))
const revertOf = (functionName: string, ...args: unknown[]) =>
  readRevert(it.read.simulateContract({ ...it.account, functionName, args, account: it.address }))
const dataOf = (entity: Hex) =>
  it.read.readContract({ ...it.account, functionName: 'getValidationData', args: [entity] })
const uninstall = (entityId: number, data: Hex = '0x', hookData: Hex[] = []) =>
  call('uninstallValidation', toEntity(module.address, entityId), data, hookData)
const key5 = () => createOperation(chain, it, execute(nobody), { signer: it.stranger, entityId: 5, options: 0 })

test('lets a key call the selected functions alone', async () => {
  await run(installSigner(it.stranger.address, 5, { selectors: ['0xb61d27f6'] }))
  expect(await validate(chain, it, await key5())).toBe(0n)
  const fields = { signer: it.stranger, entityId: 5 }
  for (const options of [0, 1]) {
    const batch = await createOperation(chain, it, call('executeBatch', []), { ...fields, options })
    expect((await readRevert(validate(chain, it, batch))).name).toBe('ValidationFunctionMissing')
  }
  const global = await createOperation(chain, it, execute(nobody), { ...fields, options: 1 })
  expect((await readRevert(validate(chain, it, global))).name).toBe('ValidationFunctionMissing')
})

test('adds selectors and hooks to a validation, and replaces its flags', async () => {
  const config = (flags: number) => toConfig(module.address, 5, flags)
  await run(call('installValidation', config(isUserOp), ['0xb61d27f6'], '0x', [module.hook(1, validationHook)]))
  await run(call('installValidation', config(isUserOp | 2), ['0x34fcd5be'], '0x', [module.hook(2, preHook)]))
  expect(await dataOf(toEntity(module.address, 5))).toEqual({
    validationFlags: 3,
    validationHooks: [toConfig(module.address, 1, validationHook)],
    executionHooks: [toConfig(module.address, 2, preHook)],
    selectors: ['0xb61d27f6', '0x34fcd5be'],
  })
  const again = (selectors: Hex[], hooks: Hex[]) => revertOf('installValidation', config(1), selectors, '0x', hooks)
  const set = { name: 'ValidationAlreadySet', args: ['0xb61d27f6', toEntity(module.address, 5)] }
  expect(await again(['0xb61d27f6'], [])).toEqual(set)
  expect((await again([], [module.hook(1, validationHook)])).name).toBe('PreValidationHookDuplicate')
  expect(await again([], [module.hook(2, preHook)])).toEqual({
    name: 'ExecutionHookAlreadySet',
    args: [toConfig(module.address, 2, preHook)],
  })
})

test('gives an entity id to one validation', async () => {
  await run(installSigner(it.stranger.address, 5))
  const inUse = { name: 'ValidationEntityIdInUse', args: [] }
  expect(await revertOf('installValidation', toConfig(module.address, 5, 7), [], '0x', [])).toEqual(inUse)
  // Passing another module does not remove the validation.
  await run(uninstall(5))
  expect(await dataOf(toEntity(singleSigner.address, 5))).toMatchObject({ validationFlags: isUserOp })
  expect(await validate(chain, it, await key5())).toBe(0n)
})

test('obeys no key that was uninstalled, even when its module keeps the signer', async () => {
  await run(installSigner(it.stranger.address, 5))
  const entity = toEntity(singleSigner.address, 5)
  await run(call('uninstallValidation', entity, '0x', []))
  expect((await readRevert(validate(chain, it, await key5()))).name).toBe('ValidationFunctionMissing')
  expect(await dataOf(entity)).toEqual({ validationFlags: 0, validationHooks: [], executionHooks: [], selectors: [] })
  const signer = () => it.read.readContract({ ...singleSigner, functionName: 'signers', args: [5, it.address] })
  expect(await signer()).toBe(it.stranger.address)
  await run(installSigner(it.stranger.address, 5))
  await run(call('uninstallValidation', entity, encode('uint32', 5), []))
  expect(BigInt((await signer()) as Hex)).toBe(0n)
})

test('tells modules that they are installed, if there are data for them', async () => {
  const hooks = [module.hook(1, validationHook, '0xaa'), module.hook(2, preHook, '0xbb'), module.hook(3, preHook)]
  const install = call('installValidation', toConfig(module.address, 5, 7), [], '0xcc', hooks)
  const from = (await it.read.getBlockNumber()) + 1n
  await run(install)
  await run(uninstall(5, '0x11', ['0x22', '0x', '0x33']))
  const logs = await it.read.getLogs({ fromBlock: from })
  const data = (value: string) => expect.stringContaining(`01${value}`.padEnd(66, '0'))
  const asked = askedIn(logs).map((each) => each.data)
  expect(asked).toEqual(['aa', 'bb', 'cc', '22', '33', '11'].map(data))
  const events = parseEventLogs({ abi: it.account.abi, logs }).filter(({ eventName }) => /^Validation/.test(eventName))
  expect(events.map(({ eventName, args }) => [eventName, args])).toEqual([
    ['ValidationInstalled', { module: module.address, entityId: 5 }],
    ['ValidationUninstalled', { module: module.address, entityId: 5, onUninstallSucceeded: true }],
  ])
})

test('reverts with a module’s refusal, but uninstalls in spite of it', async () => {
  await module.respond('onInstall', '0xdeadbeef', true)
  await module.respond('onUninstall', '0xdeadbeef', true)
  const config = toConfig(module.address, 5, isUserOp | isGlobal)
  const failed = { name: 'ModuleInstallCallbackFailed', args: [module.address, '0xdeadbeef'] }
  expect(await revertOf('installValidation', config, [], '0xaa', [])).toEqual(failed)
  expect(await revertOf('installValidation', config, [], '0x', [module.hook(1, preHook, '0xaa')])).toEqual(failed)
  const wrong = { name: 'InterfaceNotSupported', args: [demo] }
  expect(await revertOf('installValidation', toConfig(demo, 5, 7), [], '0xaa', [])).toEqual(wrong)

  await run(call('installValidation', config, [], '0x', [module.hook(1, preHook)]))
  expect((await revertOf('uninstallValidation', toEntity(module.address, 5), '0x', ['0x', '0x'])).name).toBe(
    'ArrayLengthMismatch',
  )
  const from = (await it.read.getBlockNumber()) + 1n
  await run(uninstall(5, '0xaa', ['0xbb']))
  const logs = await it.read.getLogs({ address: it.address, fromBlock: from })
  const [event] = parseEventLogs({ abi: it.account.abi, logs, eventName: 'ValidationUninstalled' })
  expect(event?.args).toMatchObject({ onUninstallSucceeded: false })
  expect(await dataOf(toEntity(module.address, 5))).toMatchObject({ validationFlags: 0, executionHooks: [] })
  await module.respond('onInstall', '0x')
  await module.respond('onUninstall', '0x')
})

test('limits the hooks of a validation', async () => {
  const hooksOf = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => module.hook(from + index, validationHook))
  const config = toConfig(module.address, 5, 7)
  for (const [from, to] of [
    [0, 100],
    [100, 180],
    [180, 255],
  ] as const) {
    const data = runtimeCall(call('installValidation', config, [], '0x', hooksOf(from, to)))
    await it.by.transact({ to: it.address, data, gas: 29_000_000n })
  }
  const exceeded = { name: 'ValidationAssocHookLimitExceeded', args: [] }
  expect(await revertOf('installValidation', config, [], '0x', hooksOf(255, 256))).toEqual(exceeded)
})

test('rotates the signer of a key', async () => {
  await run(installSigner(it.owner.address, 5))
  const args = encode('uint32,address', 5, it.stranger.address)
  const data = execute(singleSigner.address, 0n, concat(['0x4aeb3b03', args]))
  await run(data)
  expect(await validate(chain, it, await key5())).toBe(0n)
})
