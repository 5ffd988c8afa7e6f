import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bump-'))
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  const wanted = files
    .split('\n')
    .filter((path) =>
      /package(-lock)?\.json$|^(deploy|scripts|\.changeset)\/|^CHANGELOG\.md$|\/protocol\/src\/headers\.ts$/.test(path),
    )
  execFileSync('tar', ['-cf', join(folder, 'copy.tar'), ...wanted], { cwd: root })
  execFileSync('tar', ['-xf', 'copy.tar'], { cwd: folder })
  rmSync(join(folder, 'copy.tar'))
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
  // Uses its own folder, since npm writes a lockfile into it and Vitest would then clear the cache of this run.
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')).filter((each) => !each.startsWith('.')))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  symlinkSync(join(root, 'e2e/packaging/node_modules'), join(folder, 'e2e/packaging/node_modules'))
  return folder
}

test('bumps all packages, templates, examples and deploy files to the next version', {
  timeout: 120_000,
}, () => {
  const folder = copy()
  const bump = () => spawnSync(process.execPath, ['scripts/bump.mjs'], { cwd: folder, encoding: 'utf8' })
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  try {
    // Pending changesets would affect the result.
    for (const name of readdirSync(join(folder, '.changeset')))
      if (name.endsWith('.md') && name !== 'README.md') rmSync(join(folder, '.changeset', name))
    const none = bump()
    expect([none.status, none.stderr]).toEqual([1, expect.stringContaining('No version was made')])
    expect(read('CHANGELOG.md')).toBe(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))

    const { version: before } = JSON.parse(read('packages/latchkey/package.json')) as { version: string }
    const version = before.replace(/\.(\d+)\.\d+$/, (_, minor) => `.${Number(minor) + 1}.0`)
    writeFileSync(join(folder, '.changeset/one.md'), '---\n"latchkey-server": minor\n---\n\nA change.\n')
    const made = bump()
    expect([made.status, made.stderr]).toEqual([0, expect.any(String)])
    expect(made.stdout).toContain(`Version ${version}.`)
    const packages = readdirSync(join(folder, 'packages')).map((name) =>
      JSON.parse(read(`packages/${name}/package.json`)),
    )
    expect(new Set(packages.map((manifest) => manifest.version))).toEqual(new Set([version]))
    expect(read('packages/protocol/src/headers.ts')).toContain(`productVersion = '${version}'`)
    const old = `latchkey.*[^0-9.]${before.replaceAll('.', '\\.')}`
    const where = ['--', '.', ':!CHANGELOG.md', ':!*package-lock.json']
    const left = spawnSync('git', ['grep', '--untracked', '-lE', old, ...where], { cwd: folder, encoding: 'utf8' })
    expect(left).toMatchObject({ status: 1, stdout: '', stderr: '' })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

type Surface = { names: Record<string, string>; sizes: Record<string, number> }

test('reports changes that break apps and growth in size', async () => {
  const { compareSurfaces } = (await import(join(root, 'scripts/lib/surface.mjs'))) as {
    compareSurfaces(before: Surface, after: Surface): string
  }
  const before = { names: { 'latchkey: a': 'function a()', 'latchkey: b': 'type B = 1' }, sizes: { page: 100 } }
  const after = { names: { 'latchkey: b': 'type B = 2', 'latchkey: c': 'type C' }, sizes: { page: 120 } }
  const text = compareSurfaces(before, after)
  expect(text).toContain('**Removed: breaks apps**\n\n- `latchkey: a`')
  expect(text).toContain('- type B = 1\n+ type B = 2')
  expect(text).toContain('**Added**\n\n- `latchkey: c`')
  expect(text).toContain('| page | 100 B | 120 B | +20 B |')
  expect(compareSurfaces(after, after).match(/No change\./g)).toHaveLength(2)
})
