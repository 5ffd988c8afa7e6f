import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'

type Dependency = { name: string; version: string; license: string; neededBy: string[] }
const root = resolve(import.meta.dirname, '../..')
const { findLicenceFaults, isPermissive, listDependencies, published } = (await import(
  join(root, 'scripts/lib/dependencies.mjs')
)) as {
  findLicenceFaults(dependencies: Dependency[]): string[]
  isPermissive(license: string): boolean
  listDependencies(): Dependency[]
  published: string[]
}
const { makeSbom } = (await import(join(root, 'scripts/lib/makeSbom.mjs'))) as {
  makeSbom(): Promise<{ bomFormat: string; components: { 'bom-ref': string }[] }>
}
const { findSecrets, listScanned } = (await import(join(root, 'scripts/lib/secrets.mjs'))) as {
  findSecrets(paths: string[], options?: { from: string; listed: Record<string, string> }): string[]
  listScanned(): string[]
}

const folder = mkdtempSync(join(tmpdir(), 'latchkey-report-'))
afterAll(() => rmSync(folder, { recursive: true }))
const random = (length: number, letters = 'abcdef0123456789') =>
  Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join('')

test('default: all that an installation brings has a permissive licence, but for the bundler and what is listed', () => {
  const dependencies = listDependencies()
  expect(findLicenceFaults(dependencies)).toEqual([])
  for (const [workspace, name] of [
    ['packages/latchkey', 'viem'],
    ['packages/server', 'aws4fetch'],
    ['packages/dev', '@pimlico/alto'],
    ['packages/frames', '@hpke/core'],
    ['packages/console', 'uplot'],
    ['examples/wallet', 'react-dom'],
  ])
    expect(dependencies.find((one) => one.name === name)?.neededBy).toContain(workspace)
  // What is only built or tested with is not of an installation.
  expect(dependencies.filter(({ name }) => ['vitest', 'solc', 'knip'].includes(name))).toEqual([])
})

test('error: another licence, an exception outside of the dev world, one that is there for nothing', () => {
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

test('default: the bill of materials has each of them, once, and says the same of one commit', async () => {
  const bill = await makeSbom()
  const refs = bill.components.map((component) => component['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  const ours = ['latchkey', 'latchkey-server', 'latchkey-dev', 'create-latchkey']
  expect(published.length).toBe(ours.length)
  const all = [
    ...listDependencies().map(({ name, version }) => `${name}@${version}`),
    ...ours.map((name) => `${name}@0.1.0`),
  ]
  expect(refs.sort()).toEqual(all.sort())
  expect(bill.bomFormat).toBe('CycloneDX')
  expect(await makeSbom()).toEqual(bill)
})

test('default: no file of the repository or of a tarball holds a secret', () => {
  const paths = listScanned()
  for (const part of [
    'packages/server/dist/',
    'packages/server/pages/',
    'packages/server/console/',
    'packages/latchkey/dist/',
    'packages/dev/example/',
  ])
    expect(
      paths.some((path) => path.startsWith(part)),
      part,
    ).toBe(true)
  expect(findSecrets(paths)).toEqual([])
})

test('error: secrets of each form are found, and not printed', () => {
  const pem = ['-----BEGIN', 'PRIVATE KEY-----\n'].join(' ')
  const secrets = [
    `${pem}${random(64)}`,
    `LATCHKEY_OPERATOR_KEY=${random(64)}`,
    `"privateKey": "0x${random(64)}"`,
    `AKIA${random(16, 'ABCDEFGH')}`,
    `ghp_${random(36)}`,
    `npm_${random(36)}`,
    `xoxb-${random(20)}`,
    `sk_live_${random(20)}`,
    `AIza${random(35)}`,
    `hvs.${random(24)}`,
    `lko_${random(43)}`,
    `eyJ${random(20)}.eyJ${random(20)}.${random(40)}`,
    `postgres://admin:${random(12)}@db.company.net/x`,
  ]
  for (const [index, secret] of secrets.entries()) {
    writeFileSync(join(folder, `file${index}`), `first\n${secret}\n`)
    const [fault, ...more] = findSecrets([`file${index}`], { from: folder, listed: {} })
    expect([fault, more], secret).toEqual([expect.stringMatching(/^file\d+:2 holds what looks like a secret: /), []])
    expect(fault).not.toContain(secret.slice(-12))
  }
  // Listed where it is a test's own; a list that names what is not there is wrong.
  expect(findSecrets(['file3'], { from: folder, listed: { file3: 'why' } })).toEqual([])
  writeFileSync(join(folder, 'plain'), 'postgres://user:password@host/x 0x1234')
  expect(findSecrets(['plain'], { from: folder, listed: { plain: 'why' } })).toEqual([
    'plain is an exception, and holds no such thing',
  ])
})

test('default: `npm run report` refuses what it does not know', () => {
  const call = () => execFileSync(process.execPath, [join(root, 'scripts/report.mjs'), '--unknown'], { stdio: 'pipe' })
  expect(call).toThrow('Usage: npm run report')
})
