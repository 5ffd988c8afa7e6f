import { expect, test } from 'vitest'
import { nearest } from './nearest.ts'

const names = ['heads', 'help', 'json', 'organization', 'overlap-hours', 'out']

test.each([
  ['heds', 'heads'],
  ['haeds', undefined],
  ['org', 'organization'],
  ['overlaphours', 'overlap-hours'],
  ['o', undefined],
  ['constructor', undefined],
  ['', undefined],
])('suggests for %s: %s', (typed, expected) => {
  expect(nearest(typed, names)).toBe(expected)
})
