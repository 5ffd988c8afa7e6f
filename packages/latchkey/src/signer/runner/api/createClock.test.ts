import { expect, test } from 'vitest'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { HttpError } from '../../../core/errors/HttpError.ts'
import { CustodyError } from '../../errors/custodyErrors.ts'
import { createClock } from './createClock.ts'

const refusal = (responseText: string, date?: string) =>
  new HttpError({ status: 400, url: 'u', responseText, headers: new Headers(date ? { date } : {}) })
const future = '{"code":3,"message":"timestampMs lies in the future.","details":[]}'
const serverDate = 'Sat, 21 Nov 2026 12:00:00 GMT'
const serverMs = Date.parse(serverDate)

/** Runs an action that fails while the clock is off by more than a minute. */
async function run(clock: ReturnType<typeof createClock>, error: Error) {
  const times: number[] = []
  const action = async (timestampMs: number) => {
    times.push(timestampMs)
    if (Math.abs(timestampMs - serverMs) > 60_000) throw error
    return 'done'
  }
  return { answer: await clock.withTime(action).catch((cause: Error) => cause), times }
}

test('uses the time of the device', async () => {
  expect(
    await run(
      createClock(() => serverMs + 5),
      refusal(future),
    ),
  ).toEqual({
    answer: 'done',
    times: [serverMs + 5],
  })
})

test('corrects a wrong clock once, from the time of the service', async () => {
  const aheadMs = 600_000
  const clock = createClock(() => serverMs + aheadMs)
  const error = new CustodyError(3, refusal(future, serverDate))
  expect(await run(clock, error)).toEqual({ answer: 'done', times: [serverMs + aheadMs, serverMs] })
  expect(await run(clock, error)).toEqual({ answer: 'done', times: [serverMs] })
  const behind = createClock(() => serverMs - aheadMs)
  expect((await run(behind, refusal(future, serverDate))).times).toEqual([serverMs - aheadMs, serverMs])
})

test('passes on other refusals, and keeps its clock when the service names no time', async () => {
  const wrong = () => createClock(() => 0)
  for (const error of [
    refusal('{"code":3,"message":"no"}', serverDate),
    refusal(future),
    new BaseError('timestampMs', { code: 'TIMEOUT' }),
  ]) {
    expect(await run(wrong(), error)).toEqual({ answer: error, times: [0] })
  }
})
