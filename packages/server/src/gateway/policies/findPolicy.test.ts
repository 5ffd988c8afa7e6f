import { expect, test } from 'vitest'
import { defaultPolicies, findPolicy } from './findPolicy.ts'

test('default', () => {
  expect(findPolicy(defaultPolicies, 'default')).toEqual({ id: 'default' })
})

test('error: an unknown policy', () => {
  expect(() => findPolicy(defaultPolicies, 'theirs')).toThrow(
    expect.objectContaining({ code: 'POLICY_NOT_FOUND', rpcCode: -32602 }),
  )
})
