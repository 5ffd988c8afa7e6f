import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import {
  createOperation,
  entryPoint,
  errors,
  handle,
  type Operation,
  packed,
  sessionKeyPlugin,
  validate,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import type { Asked } from '@latchkey/testkit/contracts/sessionKeyModel'
import {
  allowAll,
  type Call,
  createSessionAccount,
  type SessionAccount,
  sessionOperation,
  update,
} from '@latchkey/testkit/contracts/sessionKeys'
import { type Address, concat, decodeErrorResult, encodeFunctionData, type Hex, pad, parseEventLogs, toHex } from 'viem'
import { entryPoint06Abi } from 'viem/account-abstraction'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Permissions against a model of them, and at their very edges, in the chain's own seconds. */

const [a, token, coin] = [
  '0x000000000000000000000000000000000000a001',
  '0x000000000000000000000000000000000000c001',
  '0x000000000000000000000000000000000000c002',
] as const
const transfer = (value: bigint) => concat(['0xa9059cbb', pad(a), toHex(value, { size: 32 })])
const to = (target: Address, data: Hex = '0x', value = 0n): Call => ({ target, value, data })
const f = '0x11111100'

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
  // Tokens that accept any call.
  for (const address of [token, coin]) await chain.request('anvil_setCode', [address, '0x600160005260206000f3'])
})
afterAll(() => chain.close())

const secondOf = async ({ read }: SessionAccount) => Number((await read.getBlock()).timestamp)
/** The next transaction is of that second. */
const at = (second: number) => chain.request('evm_setNextBlockTimestamp', [second])

/** Has the entry point handle an operation in that second: what became of it. */
async function runAt(second: number, operation: Operation): Promise<string> {
  const { account, transact } = chain.client(4)
  const args = [[packed(operation)], account.address] as const
  const data = encodeFunctionData({ abi: entryPoint06Abi, functionName: 'handleOps', args })
  await at(second)
  const sent = await transact({ to: entryPoint, data, gas: 10_000_000n }).catch(() => undefined)
  if (!sent) return 'not valid'
  const [revert] = parseEventLogs({ abi: entryPoint06Abi, logs: sent.logs, eventName: 'UserOperationRevertReason' })
  return revert ? decodeErrorResult({ abi: errors, data: revert.args.revertReason }).errorName : 'done'
}

const operationFor = (it: SessionAccount, { calls, cost, isOwnNonceKey, paymaster }: Asked) =>
  sessionOperation(chain, it, calls, {
    nonceKey: isOwnNonceKey ? BigInt(it.key.address) : 0n,
    // All of an operation's gas, so that it costs what was asked for.
    callGasLimit: cost / gasPrice - 2_050_000n,
    ...(paymaster && { paymasterAndData: paymaster, verificationGasLimit: 666_666n, preVerificationGas: 50_002n }),
  })
const gasPrice = 2_000_000_000n
const cost = 3_000_000n * gasPrice

test('param: refreshInterval: the longest there is leaves what the limit allows', async () => {
  const longest = 2 ** 48 - 1
  const it = await createSessionAccount(chain, [
    allowAll,
    update('setNativeTokenSpendLimit', 10n, longest),
    update('setERC20SpendLimit', token, 10n, longest),
    update('setGasSpendLimit', cost, longest),
  ])
  const asked = { cost, isOwnNonceKey: true, paymaster: undefined }
  const calls = [to(a, '0x', 10n), to(token, transfer(10n))]
  expect(await runAt((await secondOf(it)) + 1, await operationFor(it, { ...asked, calls }))).toBe('done')
  const beyond = await operationFor(it, { ...asked, calls })
  expect((await readRevert(validate(chain, it, beyond))).name).toBe('PermissionsCheckFailed')
})

test('behavior: what an operation of the same bundle takes away is gone for those behind it', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setNativeTokenSpendLimit', 10n, 0)])
  const changed = (data: readonly Hex[]) =>
    encodeFunctionData({ ...sessionKeyPlugin, functionName: 'updateKeyPermissions', args: [it.key.address, data] })
  const behind = async (change: Hex, call: Call) => {
    const nonceKey = { nonceKey: BigInt(it.key.address) }
    const [first, second] = await handle(
      chain,
      await createOperation(chain, it, change),
      await sessionOperation(chain, it, [call], nonceKey),
    )
    expect([first?.success, second?.success]).toEqual([true, false])
    return decodeErrorResult({ abi: errors, data: second?.reason ?? '0x' }).errorName
  }
  expect(await behind(changed([update('setNativeTokenSpendLimit', 9n, 0)]), to(a, '0x', 10n))).toBe(
    'NativeTokenSpendLimitExceeded',
  )
  // Validated while the token had no limit: it is no transfer whose amount could be counted.
  expect(await behind(changed([update('setERC20SpendLimit', token, 9n, 0)]), to(token, f))).toBe(
    'PermissionsCheckFailed',
  )
  const first = toHex(1, { size: 32 })
  const remove = { ...sessionKeyPlugin, functionName: 'removeSessionKey', args: [it.key.address, first] }
  expect(await behind(encodeFunctionData(remove), to(a))).toBe('SessionKeyNotFound')
})
