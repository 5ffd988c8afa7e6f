import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtIn, listDependencies, published } from './dependencies.mjs'
import { root } from './run.mjs'

/** Days from a release until ours is to be on it (docs/security/updates.md), and until the list is looked through again. */
export const frames = { update: 90, major: 365, review: 31 }

/** Components that stay: what is on the chain of others is of this version, and of no other. */
const kept = new Set(['@account-abstraction/contracts'])

/** What was looked up, on a day: each component that a manifest of ours names, and the first releases after it, if there are any. */
export const readReview = () => JSON.parse(readFileSync(join(root, 'scripts/lib/updates.json'), 'utf8'))

/** What the manifests of what we publish name themselves, or build into it: `{ name, version }`. What those need comes with them. */
export function listDirect() {
  const all = listDependencies()
  const direct = new Map()
  for (const workspace of [...published, ...Object.keys(builtIn)]) {
    const manifest = JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8'))
    const named = { ...manifest.dependencies, ...manifest[builtIn[workspace]] }
    for (const [alias, range] of Object.entries(named)) {
      const [, name = alias, version = range] = /^npm:(.+)@([^@]+)$/.exec(range) ?? []
      if (all.some((one) => one.name === name && one.version === version))
        direct.set(`${name}@${version}`, { name, version })
    }
  }
  return [...direct.values()].sort((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1))
}

/** What is past its time frame on a day, or was not looked up. */
export function findLateUpdates(direct, { reviewed, components }, today) {
  const days = (since) => Math.floor((Date.parse(today) - Date.parse(since)) / 86_400_000)
  const known = new Map(components.map((one) => [`${one.name}@${one.version}`, one]))
  const faults = direct.flatMap(({ name, version }) => {
    const one = known.get(`${name}@${version}`)
    if (!one) return [`${name}@${version} was not looked up: bring scripts/lib/updates.json up to date`]
    if (kept.has(name)) return []
    return ['update', 'major']
      .filter((kind) => one[kind] && days(one[kind].since) > frames[kind])
      .map(
        (kind) => `${name}@${version}: ${one[kind].version} is out since ${one[kind].since}, over ${frames[kind]} days`,
      )
  })
  const names = new Set(direct.map(({ name, version }) => `${name}@${version}`))
  const stale = [...known.keys()].filter((id) => !names.has(id))
  return [
    ...faults,
    ...stale.map((id) => `${id} is in scripts/lib/updates.json, and nothing of ours names it`),
    ...(days(reviewed) > frames.review
      ? [`scripts/lib/updates.json is of ${reviewed}, over ${frames.review} days old`]
      : []),
  ]
}
