import { afterEach, expect, test, vi } from 'vitest'
import { claimFrameKey, releaseFrameKeys } from './pageState.ts'

afterEach(() => vi.unstubAllGlobals())

test('default: one owner an origin, until it gives it up', () => {
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
