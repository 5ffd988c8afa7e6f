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
import { type Address, concat, encodeFunctionData, getAddress, type Hex, keccak256, pad } from 'viem'
import { expect } from 'vitest'

/**
 * Validation rules of bundlers (ERC-7562; ERC-4337 of entry point 0.6): storage of other
 * contracts only where it is associated with the account, and nothing that differs between a trial and the block.
 */

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const tracer = `{
  slots: [], hashes: [], banned: [],
  step: function (log) {
    var op = log.op.toString()
    if (op === 'SLOAD' || op === 'SSTORE')
      this.slots.push([toHex(log.contract.getAddress()), '0x' + log.stack.peek(0).toString(16)])
    if (op === 'SHA3' || op === 'KECCAK256') {
      var start = log.stack.peek(0).valueOf()
      var size = log.stack.peek(1).valueOf()
      if (size > 20 && size < 512) this.hashes.push(toHex(log.memory.slice(start, start + size)))
    }
    if (/^(TIMESTAMP|NUMBER|BLOCKHASH|GASPRICE|ORIGIN|COINBASE|DIFFICULTY|PREVRANDAO|BASEFEE|GASLIMIT|SELFBALANCE|BALANCE|CREATE)$/.test(op))
      this.banned.push(op)
  },
  fault: function () {},
  result: function () { return { slots: this.slots, hashes: this.hashes, banned: this.banned } }
}`

type Trace = { slots: [Address, Hex][]; hashes: Hex[]; banned: string[] }

const trace = (call: { from: Address; to: Address; data: Hex }) =>
  chain.request<Trace>('debug_traceCall', [{ ...call, gas: '0x1c9c380' }, 'latest', { tracer }])

/** Lists storage slots of other contracts that are not associated with the account. */
function strangersIn({ slots, hashes }: Trace, account: Address): string[] {
  const owned = hashes
    .filter((preimage) => preimage.startsWith(pad(account).toLowerCase()))
    .map((preimage) => BigInt(keccak256(preimage)))
  const isAssociated = (slot: bigint) => owned.some((base) => slot >= base && slot - base <= 128n)
  return slots
    .filter(([address, slot]) => getAddress(address) !== account && !isAssociated(BigInt(slot)))
    .map(([address, slot]) => `${getAddress(address)} ${slot}`)
}

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
