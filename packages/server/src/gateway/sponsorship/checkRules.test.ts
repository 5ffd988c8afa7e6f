import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { type PolicyRulesInput, policyRulesSchema } from '../../store/ledger/policyRules.ts'
import { checkRules } from './checkRules.ts'
import type { CheckedOperation } from './checkSender.ts'

const sender = `0x${'5e'.repeat(20)}` as const
const token = `0x${'70'.repeat(20)}` as const
const shop = `0x${'5b'.repeat(20)}` as const
const factory = `0x${'fa'.repeat(20)}` as const
const now = Date.parse('2026-06-01T12:00:00Z')
const abi = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, bytes[] func)',
])
const execute = (to: Hex, data: Hex) => encodeFunctionData({ abi, functionName: 'execute', args: [to, 0n, data] })

function check(rules: PolicyRulesInput, change: Partial<CheckedOperation> = {}, paused = false) {
  const policy = {
    projectId: 'app',
    id: 'p',
    isDefault: true,
    paused,
    isDeclared: false,
    rules: policyRulesSchema.parse(rules),
  }
  const operation = { sender, callData: execute(token, '0xa9059cbb'), factory: undefined, ...change }
  checkRules({ policy, chainId: 10, operation, now })
}

const refusal = (rule: string) =>
  expect.objectContaining({ code: 'POLICY_REFUSED', rpcCode: -32501, data: expect.objectContaining({ rule }) })

test('allows any operation without rules', () => {
  expect(() => check({})).not.toThrow()
  expect(() => check({}, { callData: '0x12345678', factory })).not.toThrow()
})

const future = { validFrom: '2026-06-01T12:00:01Z' }
const past = { validUntil: '2026-06-01T14:00:00+02:00' }
test.each<[string, PolicyRulesInput, PolicyRulesInput, Partial<CheckedOperation>?]>([
  ['chains', { chains: [1, 10] }, { chains: [1] }],
  ['validFrom', { validFrom: '2026-06-01T12:00:00Z' }, future],
  ['validUntil', { validUntil: '2026-06-01T12:00:01Z' }, past],
  ['senders', { senders: [`0x${'5E'.repeat(20)}`] }, { senders: [token] }],
  ['senders', {}, { senders: [] }],
  ['factories', { factories: [factory] }, { factories: [token] }, { factory }],
])('applies %s', (rule, allowing, refusing, change) => {
  expect(() => check(allowing, change)).not.toThrow()
  expect(() => check(refusing, change)).toThrow(refusal(rule))
})

test('refuses with a paused policy, and checks factories only of new accounts', () => {
  expect(() => check({}, {}, true)).toThrow(refusal('paused'))
  expect(() => check({ factories: [token] })).not.toThrow()
})

test('requires every call to reach a listed target and function', () => {
  const transfer = { address: token, selectors: ['0xA9059CBB'] }
  const other = { address: token, selectors: ['0x12345678'] }
  expect(() => check({ targets: [transfer] })).not.toThrow()
  expect(() => check({ targets: [{ address: token }] }, { callData: execute(token, '0x') })).not.toThrow()
  expect(() => check({ targets: [transfer, other] }, { callData: execute(token, '0x12345678') })).not.toThrow()
  expect(() => check({ targets: [transfer] }, { callData: '0x' })).not.toThrow()

  expect(() => check({ targets: [{ address: shop }] })).toThrow(refusal('targets'))
  expect(() => check({ targets: [transfer] }, { callData: execute(token, '0x095ea7b3') })).toThrow(refusal('targets'))
  for (const data of ['0x', '0xa9059c'] as Hex[])
    expect(() => check({ targets: [transfer] }, { callData: execute(token, data) })).toThrow(refusal('targets'))
  const args = [
    [token, shop],
    ['0xa9059cbb', '0x'],
  ] as const
  const batch = encodeFunctionData({ abi, functionName: 'executeBatch', args })
  expect(() => check({ targets: [transfer] }, { callData: batch })).toThrow(refusal('targets'))
  // Refuses a call from the account to itself, even if it wraps an allowed call.
  expect(() => check({ targets: [transfer] }, { callData: execute(sender, execute(token, '0xa9059cbb')) })).toThrow(
    refusal('targets'),
  )
  expect(() => check({ targets: [transfer] }, { callData: '0x8da5cb5b' })).toThrow(refusal('targets'))
})
