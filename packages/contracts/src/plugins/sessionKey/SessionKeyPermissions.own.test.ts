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
  byOwner,
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
import fc from 'fast-check'
import { decodeErrorResult, encodeFunctionData, type Hex, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** These restrictions of our plugin go beyond the public one. */

const f = '0x11111100'

let chain: TestChain
beforeAll(async () => {
  chain = await startTokenChain()
})
afterAll(() => chain.close())

// The public plugin pads such data with zeros, which can match another function.
test('matches no function by one to three bytes', async () => {
  const it = await createSessionAccount(chain, [])
  const listed = fc.constantFrom<Hex>('0x00000000', f, '0x11110000', '0xa9059cbb')
  const data = fc.constantFrom<Hex>('0x', '0x00', '0x11', '0x1111', '0x111111', f, '0x11110000', '0xa9059c')
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(0, 1), listed, data, async (type, selector, data) => {
      await byOwner(it, 'updateKeyPermissions', it.key.address, [
        update('setAccessListType', type),
        update('updateAccessListAddressEntry', a, true, true),
        update('updateAccessListFunctionEntry', a, selector, true),
      ])
      const asked = validate(chain, it, await sessionOperation(chain, it, [to(a, data)]))
      const isNamed = data === '0x' || data.length >= 10
      const isListed = selector === (data === '0x' ? '0x00000000' : data)
      if (isNamed && isListed === (type === 0)) expect(await asked).toBe(0n)
      else expect((await readRevert(asked)).name).toBe('PermissionsCheckFailed')
      await byOwner(it, 'updateKeyPermissions', it.key.address, [
        update('updateAccessListFunctionEntry', a, selector, false),
      ])
    }),
    { numRuns: 20 },
  )
})

// The public plugin counts no spending here, but a token that pads the data would move the amount.
test('refuses a cut transfer of a limited token', async () => {
  const it = await createSessionAccount(chain, [allowAll, update('setERC20SpendLimit', token, 10n, 0)])
  const validated = async (data: Hex) => validate(chain, it, await sessionOperation(chain, it, [to(token, data)]))
  expect(await validated(transfer(1n))).toBe(0n)
  for (const cut of [transfer(1n).slice(0, -2) as Hex, '0xa9059cbb', '0xa9059c'] as const)
    expect((await readRevert(validated(cut))).name, cut).toBe('PermissionsCheckFailed')
})

// The public plugin adds interval and time in 48 bits, and panics if the sum overflows.
test('accepts the longest refreshInterval', async () => {
  const longest = 2 ** 48 - 1
  const it = await createSessionAccount(chain, [
    allowAll,
    update('setNativeTokenSpendLimit', 10n, longest),
    update('setERC20SpendLimit', token, 10n, longest),
    update('setGasSpendLimit', cost, longest),
  ])
  const asked = { cost, isOwnNonceKey: true, paymaster: undefined }
  const calls = [to(a, '0x', 10n), to(token, transfer(10n))]
  const fitting = await operationFor(chain, it, { ...asked, calls })
  expect(await runAt(chain, (await readSecond(it)) + 1, fitting)).toBe('done')
  const beyond = await operationFor(chain, it, { ...asked, calls })
  expect((await readRevert(validate(chain, it, beyond))).name).toBe('PermissionsCheckFailed')
})

// The public plugin executes operations validated before such a change.
test('applies changes earlier in the bundle to later operations', async () => {
  const it = await createSessionAccount(chain, [allowAll])
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
  // Without a limit this call was valid, although it is not a transfer.
  expect(await behind(changed([update('setERC20SpendLimit', token, 9n, 0)]), to(token, f))).toBe(
    'PermissionsCheckFailed',
  )
  const first = toHex(1, { size: 32 })
  const remove = { ...sessionKeyPlugin, functionName: 'removeSessionKey', args: [it.key.address, first] }
  expect(await behind(encodeFunctionData(remove), to(a))).toBe('InvalidSessionKey')
})
