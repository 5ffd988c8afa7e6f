import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { type PolicyRulesInput, policyRulesSchema } from '../../store/books/policyRules.ts'
import { checkRules } from './checkRules.ts'

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

function check(rules: PolicyRulesInput, change: Partial<checkRules.Operation> = {}, paused = false) {
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

test('default', () => {
  expect(() => check({})).not.toThrow()
  expect(() => check({}, { callData: '0x12345678', factory })).not.toThrow()
})

test('error: a paused policy', () => {
  expect(() => check({}, {}, true)).toThrow(refusal('paused'))
})

test('param: chains', () => {
  expect(() => check({ chains: [1, 10] })).not.toThrow()
  expect(() => check({ chains: [1] })).toThrow(refusal('chains'))
})

test('param: validFrom and validUntil', () => {
  expect(() => check({ validFrom: '2026-06-01T12:00:00Z', validUntil: '2026-06-01T12:00:01Z' })).not.toThrow()
  expect(() => check({ validFrom: '2026-06-01T12:00:01Z' })).toThrow(refusal('validFrom'))
  expect(() => check({ validUntil: '2026-06-01T14:00:00+02:00' })).toThrow(refusal('validUntil'))
})

test('param: senders, without case', () => {
  expect(() => check({ senders: [`0x${'5E'.repeat(20)}`] })).not.toThrow()
  expect(() => check({ senders: [token] })).toThrow(refusal('senders'))
  expect(() => check({ senders: [] })).toThrow(refusal('senders'))
})

test('param: factories, for accounts that are not deployed', () => {
  expect(() => check({ factories: [factory] }, { factory })).not.toThrow()
  expect(() => check({ factories: [token] }, { factory })).toThrow(refusal('factories'))
  expect(() => check({ factories: [token] })).not.toThrow()
})

test('param: targets', () => {
  const transfer = { address: token, selectors: ['0xA9059CBB'] }
  expect(() => check({ targets: [transfer] })).not.toThrow()
  expect(() => check({ targets: [{ address: token }] }, { callData: execute(token, '0x') })).not.toThrow()
  expect(() =>
    check(
      { targets: [transfer, { address: token, selectors: ['0x12345678'] }] },
      { callData: execute(token, '0x12345678') },
    ),
  ).not.toThrow()
  expect(() => check({ targets: [transfer] }, { callData: '0x' })).not.toThrow()

  expect(() => check({ targets: [{ address: shop }] })).toThrow(refusal('targets'))
  expect(() => check({ targets: [transfer] }, { callData: execute(token, '0x095ea7b3') })).toThrow(refusal('targets'))
  // A plain transfer, and less than a selector, call no listed function.
  for (const data of ['0x', '0xa9059c'] as Hex[])
    expect(() => check({ targets: [transfer] }, { callData: execute(token, data) })).toThrow(refusal('targets'))
  // One of a batch is enough.
  const batch = encodeFunctionData({
    abi,
    functionName: 'executeBatch',
    args: [
      [token, shop],
      ['0xa9059cbb', '0x'],
    ],
  })
  expect(() => check({ targets: [transfer] }, { callData: batch })).toThrow(refusal('targets'))
  // The account itself is a target like any other: nothing is reached through it.
  expect(() => check({ targets: [transfer] }, { callData: execute(sender, execute(token, '0xa9059cbb')) })).toThrow(
    refusal('targets'),
  )
  expect(() => check({ targets: [transfer] }, { callData: '0x8da5cb5b' })).toThrow(refusal('targets'))
})
