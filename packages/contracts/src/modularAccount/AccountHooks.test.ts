import type { TestChain } from '@latchkey/testkit/chain'
import { modularAccountAbi as abi, pluginAbi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createModularAccount,
  createOperation,
  entryPoint,
  handle,
  type Manifest,
  type ModularTestAccount,
  plugins,
  validate,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import {
  alwaysDeny,
  ask,
  askedIn,
  associated,
  deployPlugin,
  encodeInstall,
  encodeUninstall,
  none,
  type ScriptedPlugin,
  self,
} from '@latchkey/testkit/contracts/scriptedPlugins'
import { test } from '@latchkey/testkit/contracts/test'
import fc from 'fast-check'
import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  type Hex,
  toHex,
} from 'viem'
import { beforeEach, expect } from 'vitest'

const execute = '0xb61d27f6'
const mine = '0x11111111'

let chain: TestChain
let it: ModularTestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})
beforeEach(async () => {
  it = await createModularAccount(chain)
})

type HookFunction = ReturnType<typeof self>
const around = (executionSelector: Hex, preExecHook: HookFunction, postExecHook: HookFunction) => ({
  executionSelector,
  preExecHook,
  postExecHook,
})
const bytes = (value: Hex) => encodeAbiParameters([{ type: 'bytes' }], [value])
const word = (value: bigint) => toHex(value, { size: 32 })

async function install(manifest: Partial<Manifest>): Promise<ScriptedPlugin> {
  const plugin = await deployPlugin(chain, manifest)
  await plugin.respond(ask.preExecutionHook, bytes('0x'))
  const data = encodeFunctionData(encodeInstall(it, plugin))
  await it.by.transact({ to: it.address, data, gas: 5_000_000n })
  return plugin
}

const executeData = () => encodeFunctionData({ abi, functionName: 'execute', args: [it.stranger.address, 1n, '0x'] })
const executed = () => it.by.transact({ to: it.address, data: executeData(), gas: 3_000_000n })
const refusal = (
  functionName = 'execute',
  args: readonly unknown[] = [it.stranger.address, 1n, '0x'],
  account: Address = it.owner.address,
) => readRevert(it.read.simulateContract({ ...it.account, functionName, args, account }))

/** Lists the calls as `plugin index: function and id`. */
function stepsIn(logs: Parameters<typeof askedIn>[0], known: readonly ScriptedPlugin[]): string[] {
  return askedIn(logs).map(({ plugin, data }) => {
    const index = known.findIndex(({ address }) => address === plugin)
    const { functionName, args = [] } = decodeFunctionData({ abi: pluginAbi, data })
    return `${index} ${functionName} ${args[0]}`
  })
}

test('runs hooks in reverse order of installation', async () => {
  const hooks = { executionHooks: [around(execute, self(1), self(2))] }
  const known = [await install(hooks), await install(hooks)]
  const { logs } = await executed()
  expect(stepsIn(logs, known)).toEqual([
    '1 preExecutionHook 1',
    '0 preExecutionHook 1',
    '0 postExecutionHook 2',
    '1 postExecutionHook 2',
  ])
})

test('tells a hook the caller and call, and passes its answer on', async () => {
  const plugin = await install({ executionHooks: [around(execute, self(1), self(2))] })
  await plugin.respond(ask.preExecutionHook, bytes('0xc0de'))
  const { logs } = await executed()
  const [before, afterwards] = askedIn(logs).map(({ data }) => decodeFunctionData({ abi: pluginAbi, data }).args)
  expect(before).toEqual([1, it.owner.address, 0n, executeData()])
  expect(afterwards).toEqual([2, '0xc0de'])
})

test('runs hooks of all kinds in order around a call and an operation', async () => {
  const plugin = await install({
    executionFunctions: [mine],
    userOpValidationFunctions: [associated(mine, self(1))],
    runtimeValidationFunctions: [associated(mine, self(2))],
    preUserOpValidationHooks: [associated(mine, self(3))],
    preRuntimeValidationHooks: [associated(mine, self(4))],
    executionHooks: [around(mine, self(5), self(6)), around(mine, self(7), none), around(mine, none, self(8))],
  })
  const execution = [
    '0 preExecutionHook 7',
    '0 preExecutionHook 5',
    '0 function',
    '0 postExecutionHook 8',
    '0 postExecutionHook 6',
  ]
  const steps = (logs: Parameters<typeof askedIn>[0]) =>
    askedIn(logs).map(({ data }) =>
      data === mine
        ? '0 function'
        : stepsIn(
            logs.filter((log) => log.data.includes(data.slice(2))),
            [plugin],
          )[0],
    )
  const direct = await chain.connect(it.stranger.privateKey).transact({ to: it.address, data: mine, gas: 3_000_000n })
  expect(steps(direct.logs)).toEqual(['0 preRuntimeValidationHook 4', '0 runtimeValidationFunction 2', ...execution])

  await plugin.respond(ask.preUserOpValidationHook, word(0n))
  await plugin.respond(ask.userOpValidationFunction, word(0n))
  expect(await handle(chain, await createOperation(chain, it, mine))).toMatchObject([{ success: true }])
  const { logs } = await it.read
    .getBlock()
    .then(async ({ transactions: [hash = '0x'] }) => it.read.getTransactionReceipt({ hash }))
  expect(steps(logs)).toEqual(['0 preUserOpValidationHook 3', '0 userOpValidationFunction 1', ...execution])
})

test('runs a repeated hook once', async () => {
  const plugin = await install({
    executionHooks: [
      around(execute, self(1), self(2)),
      around(execute, self(1), self(3)),
      around(execute, self(1), self(2)),
    ],
  })
  await plugin.respond(ask.preExecutionHook, bytes('0xc0de'))
  const { logs } = await executed()
  expect(stepsIn(logs, [plugin])).toEqual(['0 preExecutionHook 1', '0 postExecutionHook 3', '0 postExecutionHook 2'])
  expect(askedIn(logs).filter(({ data }) => data.includes('c0de'.padEnd(64, '0'))).length).toBe(2)
})

test('names the hook or validation that refused, with its reason', async () => {
  const plugin = await install({
    executionFunctions: [mine],
    runtimeValidationFunctions: [associated(mine, self(2))],
    preRuntimeValidationHooks: [associated(mine, self(4))],
    executionHooks: [around(mine, self(5), self(6))],
  })
  const { address } = plugin
  const cases: [Hex, string, number][] = [
    [ask.postExecutionHook, 'PostExecHookReverted', 6],
    [mine, '0xdeadbeef', 0],
    [ask.preExecutionHook, 'PreExecHookReverted', 5],
    [ask.runtimeValidationFunction, 'RuntimeValidationFunctionReverted', 2],
    [ask.preRuntimeValidationHook, 'PreRuntimeValidationHookFailed', 4],
  ]
  for (const [selector, name, id] of cases) {
    await plugin.respond(selector, '0xdeadbeef', true)
    const call = it.read.call({ to: it.address, data: mine, account: it.stranger.address })
    const failure = await call.then(
      () => undefined,
      (error: Error) => error,
    )
    const expected = name.startsWith('0x') ? name : encodeErrorOf(name, [address, id, '0xdeadbeef'])
    // The message contains a separator between the selector and the rest.
    for (const part of [expected.slice(0, 10), expected.slice(10)]) expect(String(failure), name).toContain(part)
  }
})

function encodeErrorOf(errorName: string, args: readonly unknown[]): Hex {
  return encodeErrorResult({ abi, errorName, args })
}

test('denies an always denied function to everyone', async () => {
  const denied = { name: 'AlwaysDenyRule', args: [] }
  const calls = await install({ preRuntimeValidationHooks: [associated(execute, alwaysDeny)] })
  expect(await refusal()).toEqual(denied)
  // An operation does not count as a direct call.
  expect(await validate(chain, it, await createOperation(chain, it, executeData()))).toBe(0n)
  await remove(calls)
  const operations = await install({ preUserOpValidationHooks: [associated(execute, alwaysDeny)] })
  expect(await readRevert(validate(chain, it, await createOperation(chain, it, executeData())))).toEqual(denied)
  await executed()
  await remove(operations)
  await install({ executionHooks: [around(execute, alwaysDeny, none)] })
  expect(await refusal()).toEqual(denied)
  expect(await refusal('execute', [it.stranger.address, 1n, '0x'], entryPoint)).toEqual(denied)
})

const remove = (plugin: ScriptedPlugin) =>
  it.by.transact({ to: it.address, data: encodeFunctionData(encodeUninstall(it, plugin)), gas: 3_000_000n })

test('runs the post hook of a plugin that was uninstalled in between', async () => {
  const plugin = await install({ executionHooks: [around('0xc1a221f3', self(1), self(2))] })
  const { logs } = await remove(plugin)
  expect(stepsIn(logs, [plugin])).toEqual(['0 preExecutionHook 1', '0 onUninstall 0x', '0 postExecutionHook 2'])
})

/** With a hook, a missing end time becomes this value. */
const latest = 2 ** 48 - 1

test('refuses an aggregator from a hook and accepts it from a validation', async () => {
  const plugin = await install({
    userOpValidationFunctions: [associated(mine, self(1))],
    preUserOpValidationHooks: [associated(mine, self(3))],
  })
  const operation = await createOperation(chain, it, mine)
  const aggregator = plugins.SessionKeyPlugin
  await plugin.respond(ask.preUserOpValidationHook, word(0n))
  await plugin.respond(ask.userOpValidationFunction, word(BigInt(aggregator)))
  expect(await validate(chain, it, operation)).toBe(BigInt(aggregator) | (BigInt(latest) << 160n))
  await plugin.respond(ask.preUserOpValidationHook, word(BigInt(aggregator)))
  const unexpected = { name: 'UnexpectedAggregator', args: [plugin.address, 3, aggregator] }
  expect(await readRevert(validate(chain, it, operation))).toEqual(unexpected)
  for (const asked of [ask.preUserOpValidationHook, ask.userOpValidationFunction]) {
    await plugin.respond(ask.preUserOpValidationHook, word(0n))
    await plugin.respond(asked, encodeErrorOf('AlwaysDenyRule', []), true)
    expect((await readRevert(validate(chain, it, operation))).name).toBe('AlwaysDenyRule')
  }
})

test('intersects the times of a validation and its hooks', async () => {
  const plugin = await install({
    userOpValidationFunctions: [associated(mine, self(1))],
    preUserOpValidationHooks: [associated(mine, self(3))],
  })
  const operation = await createOperation(chain, it, mine)
  const time = fc.oneof(fc.constant(0), fc.nat({ max: 2 ** 31 - 1 }))
  const answer = fc.record({ failed: fc.boolean(), from: time, until: time })
  type Answer = { failed: boolean; from: number; until: number }
  const packedAnswer = ({ failed, from, until }: Answer) =>
    (BigInt(from) << 208n) | (BigInt(until) << 160n) | (failed ? 1n : 0n)
  const end = ({ until }: Answer) => until || latest
  await fc.assert(
    fc.asyncProperty(answer, answer, async (hook, validation) => {
      await plugin.respond(ask.preUserOpValidationHook, word(packedAnswer(hook)))
      await plugin.respond(ask.userOpValidationFunction, word(packedAnswer(validation)))
      const both = {
        failed: hook.failed || validation.failed,
        from: Math.max(hook.from, validation.from),
        until: Math.min(end(hook), end(validation)),
      }
      expect(await validate(chain, it, operation)).toBe(packedAnswer(both))
    }),
    { numRuns: 15 },
  )
})
