import { expect, test } from 'vitest'
import { defaultPolicies, findPolicy } from './sponsorship.ts'

test('behavior: the default policy', () => {
  expect(findPolicy(defaultPolicies, 'default')).toEqual({ id: 'default' })
})

test('error: an unknown policy', () => {
  expect(() => findPolicy(defaultPolicies, 'theirs')).toThrow(
    expect.objectContaining({ code: 'POLICY_NOT_FOUND', rpcCode: -32602 }),
  )
})
