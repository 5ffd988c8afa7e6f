import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

type Component = { name: string; version: string; update?: Release; major?: Release }
type Release = { version: string; since: string }
type Review = { reviewed: string; components: Component[] }
const root = resolve(import.meta.dirname, '../..')
const { findLateUpdates, frames, listDirect, readReview } = (await import(join(root, 'scripts/lib/updates.mjs'))) as {
  findLateUpdates(direct: Component[], review: Review, today: string): string[]
  frames: { update: number; major: number; review: number }
  listDirect(): Component[]
  readReview(): Review
}

test('default: the page says the time frames that are held', () => {
  const page = readFileSync(join(root, 'docs/security/updates.md'), 'utf8')
  expect(page).toContain(`| a release that breaks nothing | ${frames.update} days |`)
  expect(page).toContain(`| a release that may break something | ${frames.major} days |`)
  expect(page).toContain(`where the list is over ${frames.review} days old`)
  for (const hole of ['critical or used by attackers', 'high', 'medium or low'])
    expect(page).toMatch(new RegExp(`\\| a mend of a hole that is ${hole} \\| \\d+ days \\| its advisory \\|`))
})

test('default: every component was looked up, in the version that is pinned, and none was late then', () => {
  const direct = listDirect()
  for (const name of ['viem', 'zod', 'pg', '@hpke/core', 'uplot', 'zustand'])
    expect(direct.some((one) => one.name === name)).toBe(true)
  const review = readReview()
  // Of the day it was made, so that no test fails by the calendar; the report goes by today.
  expect(findLateUpdates(direct, review, review.reviewed)).toEqual([])
})

test('error: a component past its time frame, one that was not looked up, one that is gone, an old list', () => {
  const find = (component: Component, today: string, direct = [component]) =>
    findLateUpdates(direct, { reviewed: '2026-11-01', components: [component] }, today)
  const minor = { name: 'a', version: '1.0.0', update: { version: '1.0.1', since: '2026-08-05' } }
  expect(find(minor, '2026-11-03')).toEqual([])
  expect(find(minor, '2026-11-04')).toEqual(['a@1.0.0: 1.0.1 is out since 2026-08-05, over 90 days'])
  const major = { name: 'a', version: '1.0.0', major: { version: '2.0.0', since: '2025-11-03' } }
  expect(find(major, '2026-11-03')).toEqual([])
  expect(find(major, '2026-11-04')).toEqual(['a@1.0.0: 2.0.0 is out since 2025-11-03, over 365 days'])
  const fresh = { name: 'a', version: '1.0.0' }
  expect(find(fresh, '2026-11-02', [{ name: 'a', version: '1.0.1' }])).toEqual([
    'a@1.0.1 was not looked up: bring scripts/lib/updates.json up to date',
    'a@1.0.0 is in scripts/lib/updates.json, and nothing of ours names it',
  ])
  expect(find(fresh, '2026-12-02')).toEqual([])
  expect(find(fresh, '2026-12-03')).toEqual(['scripts/lib/updates.json is of 2026-11-01, over 31 days old'])
  // What others have on the chain stays at that version.
  expect(find({ ...major, name: '@account-abstraction/contracts' }, '2026-11-30')).toEqual([])
})
