import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import { expect, test } from 'vitest'
import { toCallData, toPlainInput } from './toPlainInput.ts'

const target: Address = '0x000000000000000000000000000000000000dEaD'
const transfer = { abi: erc20Abi, functionName: 'transfer', args: [target, 7n] } as const
const data = encodeFunctionData(transfer)

test('encodes functions and drops unknown members', () => {
  expect(toPlainInput({ target, ...transfer, value: 2n })).toEqual({ target, data, value: 2n })
  const batch = [{ target, data: '0x', label: 'mine' } as const, { target, ...transfer }]
  expect(toPlainInput(batch)).toEqual([
    { target, data: '0x' },
    { target, data },
  ])
  expect(toPlainInput('0x1234')).toBe('0x1234')
})

test('uses empty data for a call without data', () => {
  expect(toCallData({})).toBe('0x')
  expect(toPlainInput({ target, data: '0x' })).toEqual({ target, data: '0x' })
})

test.each([
  ['a function that the ABI has not', { functionName: 'mint' }, ['call of mint', 'Function "mint" not found']],
  ['an ABI that is no list', { abi: { abi: erc20Abi } as never }, ['call of transfer', 'filter is not a function']],
  ['an argument too few', { args: [target] }, ['call of transfer', 'Expected length (params): 2']],
  ['an argument too many', { args: [target, 1n, 2n] }, ['call of transfer', 'Given length (values): 3']],
  ['no arguments', { args: undefined }, ['call of transfer', 'Given length (values): 0']],
  ['an argument of another type', { args: ['vitalik', 1n] }, ['call of transfer', 'Address "vitalik" is invalid']],
])('refuses %s with the reason', (_, changes, texts) => {
  const call = { target, ...transfer, ...changes }
  const code = 'ARGUMENT_INVALID'
  expect(() => toPlainInput([{ target, data: '0x' }, call])).toThrow(expect.objectContaining({ code }))
  for (const text of texts) expect(() => toCallData(call)).toThrow(text)
})
