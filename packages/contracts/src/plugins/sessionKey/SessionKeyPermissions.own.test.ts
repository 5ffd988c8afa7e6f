import type { TestChain } from '@latchkey/testkit/chain'
import {
  createOperation,
  errors,
  handle,
  sessionKeyPlugin,
  validate,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import {
  allowAll,
  type Call,
  createSessionAccount,
  sessionOperation,
  update,
} from '@latchkey/testkit/contracts/sessionKeys'
import {
  a,
  cost,
  operationFor,
  readSecond,
  runAt,
  startTokenChain,
  to,
  token,
  transfer,
} from '@latchkey/testkit/contracts/timedSessionKeys'
import { decodeErrorResult, encodeFunctionData, type Hex, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Permissions against a model of them, and at their very edges, in the chain's own seconds. */

const f = '0x11111100'

let chain: TestChain
beforeAll(async () => {
  chain = await startTokenChain()
})
afterAll(() => chain.close())

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
  expect(await runAt(chain, (await readSecond(it)) + 1, await operationFor(chain, it, { ...asked, calls }))).toBe(
    'done',
  )
  const beyond = await operationFor(chain, it, { ...asked, calls })
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
