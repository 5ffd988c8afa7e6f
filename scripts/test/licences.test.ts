import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

type Dependency = { name: string; version: string; license: string; neededBy: string[] }
const root = resolve(import.meta.dirname, '../..')
const { findLicenceFaults, isPermissive, listDependencies } = (await import(
  join(root, 'scripts/lib/dependencies.mjs')
)) as {
  findLicenceFaults(dependencies: Dependency[]): string[]
  isPermissive(license: string): boolean
  listDependencies(): Dependency[]
}

test('installs only packages with a permissive licence, except the listed ones', () => {
  const dependencies = listDependencies()
  expect(findLicenceFaults(dependencies)).toEqual([])
  for (const [workspace, name] of [
    ['packages/latchkey', 'viem'],
    ['packages/server', 'aws4fetch'],
    ['packages/dev', '@pimlico/alto'],
    ['packages/frames', '@hpke/core'],
    ['packages/console', 'uplot'],
    ['apps/wallet', 'react-dom'],
  ])
    expect(dependencies.find((one) => one.name === name)?.neededBy).toContain(workspace)
  // Build and test tools are not part of an installation.
  expect(dependencies.filter(({ name }) => ['vitest', 'solc', 'knip'].includes(name))).toEqual([])
})

test('refuses another licence, an exception outside latchkey-dev, and an unused exception', () => {
  const one = { name: 'a', version: '1.0.0', license: 'GPL-3.0', neededBy: ['packages/server'] }
  const alto = { name: '@pimlico/alto', version: '0.0.20', license: 'GPL-3.0-or-later' }
  expect(findLicenceFaults([one, { ...alto, neededBy: ['packages/dev', 'packages/server'] }])).toEqual([
    'a@1.0.0 (packages/server): GPL-3.0',
    '@pimlico/alto@0.0.20 (packages/dev, packages/server): GPL-3.0-or-later',
    ...['lib', 'v2-core', 'v3-core', 'v3-periphery'].map(
      (name) => `@uniswap/${name} is an exception, and nothing needs it`,
    ),
  ])
  for (const license of ['MIT', '(MIT OR GPL-3.0)', 'MIT AND ISC']) expect(isPermissive(license), license).toBe(true)
  for (const license of ['none', 'GPL-3.0', 'MIT AND GPL-3.0', 'SEE LICENSE IN x', '(MIT OR (A AND B))'])
    expect(isPermissive(license), license).toBe(false)
})
