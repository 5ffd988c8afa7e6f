import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Session } from './Session.ts'
import { watchExpiry } from './watchExpiry.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

const until = (expirationDateMs: number): Session => ({
  type: 'passkey',
  user: { orgId: 'o', userId: 'u', address: '0x00' },
  expirationDateMs,
})
function watch() {
  const ended: number[] = []
  return { ended, ...watchExpiry({ now: Date.now, onExpired: () => ended.push(Date.now()) }) }
}

test('default: once, at the expiry', () => {
  const { ended, arm } = watch()
  arm(until(1_000))
  arm(until(1_000))
  vi.advanceTimersByTime(999)
  expect(ended).toEqual([])
  vi.advanceTimersByTime(10_000)
  expect(ended).toEqual([1_000])
})

test('behavior: another session, or none, takes the place of the one watched', () => {
  const { ended, arm } = watch()
  arm(until(1_000))
  arm(until(5_000))
  vi.advanceTimersByTime(4_000)
  expect(ended).toEqual([])
  arm(null)
  vi.advanceTimersByTime(10_000)
  expect(ended).toEqual([])
})

test('behavior: an expiry further away than a timer reaches, and one in the past', () => {
  const { ended, arm } = watch()
  const far = 2 ** 31 + 5_000
  arm(until(far))
  vi.advanceTimersByTime(2 ** 31)
  expect(ended).toEqual([])
  vi.advanceTimersByTime(5_000)
  expect(ended).toEqual([far])
  arm(until(1))
  vi.advanceTimersByTime(0)
  expect(ended).toEqual([far, far])
})
