import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchTime } from './watchTime.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

function watch() {
  const reached: number[] = []
  return { reached, ...watchTime({ now: Date.now, onReached: () => reached.push(Date.now()) }) }
}

test('default: once, at the moment', () => {
  const { reached, arm } = watch()
  arm(1_000)
  arm(1_000)
  vi.advanceTimersByTime(999)
  expect(reached).toEqual([])
  vi.advanceTimersByTime(10_000)
  arm(1_000)
  vi.advanceTimersByTime(10_000)
  expect(reached).toEqual([1_000])
})

test('behavior: another moment, or none, takes the place of the one watched', () => {
  const { reached, arm } = watch()
  arm(1_000)
  arm(5_000)
  vi.advanceTimersByTime(4_000)
  expect(reached).toEqual([])
  arm(null)
  vi.advanceTimersByTime(10_000)
  expect(reached).toEqual([])
})

test('behavior: a moment further away than a timer reaches, and one in the past', () => {
  const { reached, arm } = watch()
  const far = 2 ** 31 + 5_000
  arm(far)
  vi.advanceTimersByTime(2 ** 31)
  expect(reached).toEqual([])
  vi.advanceTimersByTime(5_000)
  expect(reached).toEqual([far])
  arm(1)
  vi.advanceTimersByTime(0)
  expect(reached).toEqual([far, far])
})
