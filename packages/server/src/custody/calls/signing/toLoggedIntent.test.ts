import { createHash } from 'node:crypto'
import { type Intent, toIntentJson } from 'latchkey-protocol'
import { expect, test } from 'vitest'
import { toLoggedIntent } from './toLoggedIntent.ts'

const hello: Intent = { acts: [{ text: 'Hello', kind: 'message' }] }
const unread: Intent = { unread: 'It is a digest of unknown content.' }

test('logs one intent as its canonical JSON, and several as a list', () => {
  expect(toLoggedIntent([hello])).toBe(toIntentJson(hello))
  expect(JSON.parse(toLoggedIntent([hello, unread]))).toEqual([hello, unread])
})

test('bounds a long intent, and keeps its digest and beginning', () => {
  const long: Intent = { acts: Array.from({ length: 500 }, () => ({ kind: 'message', text: '\u0000'.repeat(1_000) })) }
  const logged = toLoggedIntent([long])
  const json = toIntentJson(long)
  expect(logged.length).toBeLessThan(40_000)
  const { sha256, start } = JSON.parse(logged)
  expect(sha256).toBe(createHash('sha256').update(json).digest('hex'))
  expect(json.startsWith(start)).toBe(true)
})
