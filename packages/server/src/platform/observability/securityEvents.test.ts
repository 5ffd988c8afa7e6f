import { expect, test } from 'vitest'
import { noteDone, noteRefusal, readSecurityCounters } from './securityEvents.ts'

function startLog() {
  const lines: string[] = []
  const keep = (fields: Record<string, unknown>, message: string) =>
    void lines.push(JSON.stringify({ message, ...fields }))
  return { lines, logger: { info: keep, warn: keep, error: keep } }
}
const request = { path: '/x', requestId: 'request-1' }

test('logs and counts a refusal', () => {
  const { lines, logger } = startLog()
  const before = readSecurityCounters().get('wrong_code') ?? 0
  noteRefusal(logger, { code: 'OTP_INVALID', ...request })
  noteRefusal(logger, { code: 'REQUEST_INVALID', ...request })
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { message: 'Refused', event: 'wrong_code', count: before + 1, code: 'OTP_INVALID', ...request },
  ])
  expect(readSecurityCounters().get('wrong_code')).toBe(before + 1)
})

test('counts all refusals of a flood but logs few', () => {
  const { lines, logger } = startLog()
  // No other test uses up this event's log lines.
  const before = readSecurityCounters().get('policy_refused') ?? 0
  for (let count = 0; count < 1_000; count++) noteRefusal(logger, { code: 'POLICY_NOT_FOUND', ...request })
  expect(readSecurityCounters().get('policy_refused')).toBe(before + 1_000)
  expect(lines.length).toBeLessThan(1_000)
  expect(lines.length).toBeGreaterThan(0)
})

test('logs completed actions apart from refusals', () => {
  const { lines, logger } = startLog()
  const before = readSecurityCounters().get('exported') ?? 0
  noteDone(logger, { event: 'exported', organizationId: 'o', requestId: 'request-1' })
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { message: 'Done', event: 'exported', count: before + 1, organizationId: 'o', requestId: 'request-1' },
  ])
})

test('cuts a long path', () => {
  const { lines, logger } = startLog()
  noteRefusal(logger, { code: 'RATE_LIMIT_EXCEEDED', path: '/'.repeat(10_000), requestId: 'request-1' })
  expect(lines.join().length).toBeLessThan(500)
})
