import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './run.mjs'

/** Workspaces that are published. */
export const published = [
  'packages/protocol',
  'packages/latchkey',
  'packages/server',
  'packages/exit',
  'packages/migrate',
  'packages/dev',
  'packages/create',
]

/**
 * Workspaces whose pages are built into the published tarballs, with the manifest fields that list bundled packages.
 */
export const builtIn = {
  'packages/console': 'dependencies',
  'packages/frames': 'devDependencies',
  'apps/wallet': 'dependencies',
}

const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
])

/**
 * Returns every package that our packages install or bundle, from the lockfile: name, version, licence, and the
 * workspaces that need it.
 */
export function listDependencies() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const found = new Map()
  for (const workspace of [...published, ...Object.keys(builtIn)]) {
    for (const path of reach(packages, workspace)) {
      const { version, license = 'none', resolved: _, ...entry } = packages[path]
      const name = entry.name ?? path.split('node_modules/').at(-1)
      const id = `${name}@${version}`
      const known = found.get(id) ?? { name, version, license, neededBy: [] }
      known.neededBy.push(workspace)
      found.set(id, known)
    }
  }
  return [...found.values()].sort((a, b) => (a.name + a.version < b.name + b.version ? -1 : 1))
}

/** Returns the packages whose licence is not permissive, with their workspaces. */
export function findLicenceFaults(dependencies) {
  return dependencies
    .filter(({ license }) => !isPermissive(license))
    .map(({ name, version, license, neededBy }) => `${name}@${version} (${neededBy.join(', ')}): ${license}`)
}

/**
 * Returns the packages that `latchkey-dev` downloads at its first start and that are not permissive. They run as
 * separate programs or on the dev chain; our packages contain none of their code.
 */
export function listThirdParty() {
  const { packages } = JSON.parse(readFileSync(join(root, 'packages/dev/third-party/package-lock.json'), 'utf8'))
  return Object.entries(packages).flatMap(([path, { license = 'none' }]) =>
    path !== '' && !isPermissive(license) ? [`${path.split('node_modules/').at(-1)}: ${license}`] : [],
  )
}

/** Evaluates an SPDX expression without nested parentheses: `MIT`, `(MIT OR GPL-2.0)`, `MIT AND ISC`. */
export function isPermissive(license) {
  const text = license.replace(/^\((.*)\)$/, '$1')
  if (/[()]/.test(text)) return false
  return text.split(' OR ').some((side) => side.split(' AND ').every((id) => permissive.has(id.trim())))
}

/** Returns the lockfile paths of a workspace's dependencies, without workspaces. */
function reach(packages, workspace) {
  const seen = new Set()
  const waiting = [workspace]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = packages[path]
    const bundled = path === workspace ? packages[path][builtIn[workspace]] : {}
    const needed = { ...dependencies, ...bundled, ...optionalDependencies }
    for (const name of Object.keys(peerDependencies ?? {}))
      if (!peerDependenciesMeta?.[name]?.optional) needed[name] = ''
    for (const name of Object.keys(needed)) {
      const target = resolve(packages, path, name)
      if (target !== undefined && !name.startsWith('@latchkey/')) waiting.push(target)
    }
  }
  return [...seen].filter((path) => path.includes('node_modules/'))
}

/** Resolves a package as Node does: from the importer's folder upwards. */
function resolve(packages, from, name) {
  const parts = from.split('/node_modules/')
  for (let depth = parts.length; depth >= 0; depth--) {
    const folder = parts.slice(0, depth).join('/node_modules/')
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    const entry = packages[path]
    if (entry) return entry.link ? entry.resolved : path
  }
  return undefined
}
