import type { TestChain } from '@latchkey/testkit/chain'
import {
  createModularAccount,
  createOperation,
  entryPoint,
  factory,
  hashOperation,
  type ModularTestAccount,
  modularAccount,
  type Operation,
  packed,
  plugins,
} from '@latchkey/testkit/contracts/modularAccounts'
import { createSessionAccount, sessionOperation, update } from '@latchkey/testkit/contracts/sessionKeys'
import { test } from '@latchkey/testkit/contracts/test'
import { strangersIn, type TracedCall, traceCall } from '@latchkey/testkit/contracts/validationRules'
import { type Address, concat, encodeFunctionData, getAddress, pad } from 'viem'
import { expect } from 'vitest'

/**
 * Checks the validation rules of bundlers (ERC-7562; ERC-4337 of entry point 0.6): code may access storage of other
 * contracts only where it is associated with the account, and must not depend on anything that differs between
 * simulation and block.
 */

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const trace = (call: TracedCall) => traceCall(chain, call)

const validation = ({ account, address }: ModularTestAccount, operation: Operation) => {
  const args = [packed(operation), hashOperation(chain, operation), 0n]
  return trace({
    from: entryPoint,
    to: address,
    data: encodeFunctionData({ ...account, functionName: 'validateUserOp', args }),
  })
}

test('touches only associated storage for an owner', async () => {
  const it = await createModularAccount(chain, [plugins.SessionKeyPlugin])
  const call = encodeFunctionData({ ...it.account, functionName: 'execute', args: [it.stranger.address, 0n, '0x'] })
  const traced = await validation(it, await createOperation(chain, it, call))
  const touched = new Set(traced.slots.map(([address]) => getAddress(address)))
  expect(touched).toEqual(new Set([it.address, plugins.MultiOwnerPlugin]))
  expect([strangersIn(traced, it.address), traced.banned]).toEqual([[], []])
})

test('touches only associated storage for a session key with every rule', async () => {
  const target = plugins.MultiOwnerPlugin
  const it = await createSessionAccount(chain, [
    update('updateAccessListAddressEntry', target, true, true),
    update('updateAccessListFunctionEntry', target, '0xa9059cbb', true),
    update('updateTimeRange', 1, 2_000_000_000),
    update('setNativeTokenSpendLimit', 1n, 100),
    update('setERC20SpendLimit', target, 1n, 100),
    update('setGasSpendLimit', 10n ** 18n, 100),
    update('setRequiredPaymaster', target),
  ])
  const data = concat(['0xa9059cbb', pad(target), pad('0x01')])
  const fields = { nonceKey: BigInt(it.key.address), paymasterAndData: target }
  const operation = await sessionOperation(chain, it, [{ target, value: 0n, data }], fields)
  const traced = await validation(it, operation)
  expect(traced.slots.filter(([address]) => getAddress(address) === plugins.SessionKeyPlugin).length).toBeGreaterThan(5)
  expect([strangersIn(traced, it.address), traced.banned]).toEqual([[], []])
})

test('touches only associated storage while an account is created', async () => {
  const owner = (await chain.freshAccount()).address
  const { read } = chain.client(1)
  const args = [3n, [owner]]
  const account = (await read.readContract({ ...factory, functionName: 'getAddress', args })) as Address
  const data = encodeFunctionData({ ...factory, functionName: 'createAccount', args })
  const traced = await trace({ from: entryPoint, to: modularAccount.factory, data })
  expect(traced.slots.some(([address]) => getAddress(address) === plugins.MultiOwnerPlugin)).toBe(true)
  expect([strangersIn(traced, account), traced.banned]).toEqual([[], []])
})
