import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { refused } from './refused.ts'
import { queries, submits } from './table.ts'

const page = readFileSync(new URL('../../../../../docs/wire/custody.md', import.meta.url), 'utf8')
const [, submitted = '', queried = '', withheld = ''] = page.split(/^## /m)
const namesIn = (text: string) => [...text.matchAll(/`([a-z]+(?:_[a-z0-9]+)+|whoami|oauth)`/g)].map(([, name]) => name)

test('default: the page of the wire names each call where it belongs', () => {
  expect(new Set(namesIn(submitted))).toEqual(new Set(Object.keys(submits)))
  expect(new Set(namesIn(queried))).toEqual(new Set(Object.keys(queries)))
  expect(new Set(namesIn(withheld))).toEqual(new Set(Object.keys(refused)))
})

test('behavior: what is served is not refused', () => {
  for (const name of Object.keys(refused))
    expect([name, name in submits, name in queries]).toEqual([name, false, false])
})
