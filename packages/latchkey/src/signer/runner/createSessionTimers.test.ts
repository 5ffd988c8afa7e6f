import { memoryPlatform } from '@latchkey/testkit/wallet/memoryPlatform'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { openSessionStore } from '../session/createSessionStore.ts'
import type { Session } from '../session/Session.ts'
import type { SessionConfig } from '../types.ts'
import { createContext } from './createContext.ts'
import { createSessionTimers, watchTime } from './createSessionTimers.ts'
import { initialState } from './machine/signerMachine.ts'
import type { MachineEvent, MachineState } from './machine/types.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
})
afterEach(() => {
  vi.useRealTimers()
})

const until = (expirationDateMs: number): Session => ({
  type: 'passkey',
  user: { orgId: 'o', userId: 'u', address: `0x${'1'.repeat(40)}` },
  expirationDateMs,
})
const connected = (session: Session): MachineState => ({ ...initialState, status: 'CONNECTED', session, live: true })
function start(sessionConfig: SessionConfig = {}) {
  const platform = memoryPlatform()
  const store = openSessionStore(undefined, platform)
  const context = createContext({ parameters: { client: { connection: {} } }, platform, store })
  const reported: [number, MachineEvent | number][] = []
  let expiring: number | null = null
  const timers = createSessionTimers({
    context,
    sessionConfig,
    dispatch: (event) => reported.push([Date.now(), event]),
    onExpiring(expiresAt) {
      expiring = expiresAt
      if (expiresAt !== null) reported.push([Date.now(), expiresAt])
    },
  })
  return { context, reported, expiring: () => expiring, ...timers }
}

test('reports a minute before the end, and at the end', () => {
  const { context, reported, follow, expiring } = start()
  context.store.write(until(900_000))
  follow(connected(until(900_000)))
  expect(expiring()).toBeNull()
  vi.advanceTimersByTime(839_999)
  expect(reported).toEqual([])
  vi.advanceTimersByTime(1)
  expect(reported).toEqual([[840_000, 900_000]])
  expect(expiring()).toBe(900_000)
  vi.advanceTimersByTime(60_000)
  expect(reported.slice(1)).toEqual([[900_000, { type: 'EXPIRED' }]])
})

test('keeps a session that another tab has renewed', () => {
  const { context, reported, follow } = start()
  follow(connected(until(100_000)))
  context.store.write(until(500_000))
  vi.advanceTimersByTime(100_000)
  expect(reported.at(-1)).toEqual([100_000, { type: 'SESSION_CHANGED', session: until(500_000) }])
  follow(connected(until(500_000)))
  vi.advanceTimersByTime(340_000)
  expect(reported.at(-1)).toEqual([440_000, 500_000])
})

test('reports at expiringNoticeMs, or at once for a shorter session', () => {
  const { reported, follow } = start({ expiringNoticeMs: 5_000 })
  follow(connected(until(8_000)))
  vi.advanceTimersByTime(3_000)
  expect(reported).toEqual([[3_000, 8_000]])
  follow(connected(until(6_000)))
  vi.advanceTimersByTime(0)
  expect(reported.at(-1)).toEqual([3_000, 6_000])
})

test('waits for a mail until it expires or no call waits', () => {
  const { reported, follow } = start()
  const waiting: MachineState = { ...initialState, status: 'AWAITING_EMAIL_AUTH', call: { id: 1 }, mailEndsMs: 7_000 }
  follow(waiting)
  vi.advanceTimersByTime(6_999)
  follow({ ...waiting, status: 'AUTHENTICATING' })
  vi.advanceTimersByTime(10_000)
  expect(reported).toEqual([])
  follow(waiting)
  vi.advanceTimersByTime(0)
  expect(reported).toEqual([[16_999, { type: 'MAIL_EXPIRED' }]])
})

describe('watchTime', () => {
  function watch() {
    const reached: number[] = []
    return { reached, ...watchTime({ now: Date.now, onReached: () => reached.push(Date.now()) }) }
  }

  test('reports once, at the moment', () => {
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

  test('reports a moment beyond the reach of a timer, and one in the past', () => {
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
})
