import { expect, test } from 'vitest'
import { clampSessionSeconds } from './clampSessionSeconds.ts'

test('default', () => {
  expect(clampSessionSeconds()).toBe(900)
  expect(clampSessionSeconds(3600)).toBe(3600)
})

test('behavior: within a minute and a day; milliseconds of old clients too', () => {
  expect([1, 59, 60, 86_400, 86_401, 900_000].map(clampSessionSeconds)).toEqual([60, 60, 60, 86_400, 86_400, 86_400])
})
