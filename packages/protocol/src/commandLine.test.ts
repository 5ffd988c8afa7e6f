import { parseArgs } from 'node:util'
import { expect, test } from 'vitest'
import { nearest, suggestOption } from './commandLine.ts'

const names = ['heads', 'help', 'json', 'organization', 'overlap-hours', 'out']

test.each([
  ['heds', 'heads'],
  ['haeds', 'heads'],
  ['josn', 'json'],
  ['jsno', 'json'],
  ['osnj', undefined],
  ['org', 'organization'],
  ['overlaphours', 'overlap-hours'],
  ['o', undefined],
  ['constructor', undefined],
  ['', undefined],
])('suggests for %s: %s', (typed, expected) => {
  expect(nearest(typed, names)).toBe(expected)
})

test.each([
  [['--overlap-hour', '3'], ' Did you mean --overlap-hours?'],
  [['--heds=0xsecret'], ' Did you mean --heads?'],
  [['--nothing-like-it'], ''],
  [['-x'], ''],
  [['word'], ''],
])('suggests an option for %j', (args, expected) => {
  const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean' }] as const))
  const read = () => parseArgs({ args, options })
  expect(read).toThrow()
  try {
    read()
  } catch (error) {
    expect(suggestOption(error, names)).toBe(expected)
  }
})
