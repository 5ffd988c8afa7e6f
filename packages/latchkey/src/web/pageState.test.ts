import { afterEach, expect, test, vi } from 'vitest'
import { claimFrameKey, releaseFrameKeys } from './pageState.ts'

afterEach(() => vi.unstubAllGlobals())

test('gives an origin to one owner until it is released', () => {
  vi.stubGlobal('window', {})
  const [one, two] = [{}, {}]
  expect(claimFrameKey('https://auth.example', one)).toBe(true)
  expect(claimFrameKey('https://auth.example', one)).toBe(true)
  expect(claimFrameKey('https://auth.example', two)).toBe(false)
  expect(claimFrameKey('https://other.example', two)).toBe(true)
  releaseFrameKeys(two)
  expect(claimFrameKey('https://auth.example', two)).toBe(false)
  releaseFrameKeys(one)
  expect(claimFrameKey('https://auth.example', two)).toBe(true)
})

test('yields only to the same stored session, and not while in use', () => {
  vi.stubGlobal('window', {})
  const origin = 'https://auth.example'
  const [one, two] = [{}, {}]
  let isInUse = true
  const holder = { session: 'localStorage:session', giveWay: () => !isInUse }
  const next = { session: 'localStorage:session', giveWay: () => false }
  expect(claimFrameKey(origin, one, holder)).toBe(true)
  expect(claimFrameKey(origin, two, next)).toBe(false)
  isInUse = false
  expect(claimFrameKey(origin, two)).toBe(false)
  expect(claimFrameKey(origin, two, { ...next, session: 'localStorage:other' })).toBe(false)
  expect(claimFrameKey(origin, two, next)).toBe(true)
  releaseFrameKeys(one)
  expect(claimFrameKey(origin, one, holder)).toBe(false)
  releaseFrameKeys(two)
})
