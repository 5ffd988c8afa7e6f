import { expect, test } from 'vitest'
import { BaseError } from '../core/errors/BaseError.ts'
import { createCalls } from './createCalls.ts'
import type { User } from './types.ts'

const user: User = { orgId: 'o', userId: 'u', address: `0x${'1'.repeat(40)}` }
const nobodyLeft = () => {
  throw new TypeError('somebody still waits')
}

test('default: a call ends once', async () => {
  const calls = createCalls()
  const { id, answer } = calls.begin(undefined, nobodyLeft)
  calls.resolve(id, user)
  calls.reject(id, new BaseError('late', { code: 'INTERNAL' }))
  expect(await answer).toBe(user)
})

test('behavior: calls that joined end together, and each may leave before', async () => {
  const calls = createCalls()
  const left: number[] = []
  const controllers = [new AbortController(), new AbortController()]
  const [first, second] = controllers.map(({ signal }) => calls.begin(signal, (id) => left.push(id)))
  const third = calls.begin(undefined, nobodyLeft)
  calls.join(first?.id ?? 0, second?.id ?? 0)
  controllers[0]?.abort()
  await expect(first?.answer).rejects.toMatchObject({ code: 'ABORTED' })
  expect(left).toEqual([])
  controllers[1]?.abort()
  await expect(second?.answer).rejects.toMatchObject({ code: 'ABORTED' })
  expect(left).toEqual([second?.id])
  calls.join(second?.id ?? 0, third.id)
  calls.resolve(third.id, user)
  expect(await third.answer).toBe(user)
})

test('behavior: a signal that aborts later finds nobody', async () => {
  const calls = createCalls()
  const controller = new AbortController()
  const { id, answer } = calls.begin(controller.signal, nobodyLeft)
  calls.resolve(id, user)
  controller.abort()
  expect(await answer).toBe(user)
})
