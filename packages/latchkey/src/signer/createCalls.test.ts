import { expect, test } from 'vitest'
import { BaseError } from '../core/errors/BaseError.ts'
import { createCalls } from './createCalls.ts'
import type { User } from './types.ts'

const user: User = { orgId: 'o', userId: 'u', address: `0x${'1'.repeat(40)}` }
const noneLeft = () => {
  throw new TypeError('a caller still waits')
}

test('default: a call ends once', async () => {
  const calls = createCalls()
  const { id, result } = calls.begin(undefined, noneLeft)
  calls.resolve(id, user)
  calls.reject(id, new BaseError('late', { code: 'INTERNAL' }))
  expect(await result).toBe(user)
})

test('behavior: calls that joined end together, and each may leave before', async () => {
  const calls = createCalls()
  const left: number[] = []
  const controllers = [new AbortController(), new AbortController()]
  const [first, second] = controllers.map(({ signal }) => calls.begin(signal, (id) => left.push(id)))
  const third = calls.begin(undefined, noneLeft)
  calls.join(first?.id ?? 0, second?.id ?? 0)
  controllers[0]?.abort()
  await expect(first?.result).rejects.toMatchObject({ code: 'ABORTED' })
  expect(left).toEqual([])
  controllers[1]?.abort()
  await expect(second?.result).rejects.toMatchObject({ code: 'ABORTED' })
  expect(left).toEqual([second?.id])
  calls.join(second?.id ?? 0, third.id)
  calls.resolve(third.id, user)
  expect(await third.result).toBe(user)
})

test('behavior: a signal that aborts later finds no caller', async () => {
  const calls = createCalls()
  const controller = new AbortController()
  const { id, result } = calls.begin(controller.signal, noneLeft)
  calls.resolve(id, user)
  controller.abort()
  expect(await result).toBe(user)
})
