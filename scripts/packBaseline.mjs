import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { root } from './lib/run.mjs'

/** The last commit with one migration as it is today, and no other. */
const commit = '90cd1a2c'

/**
 * Packs the server of that commit into one file, whose packages are those of this tree: the oldest program that a new schema
 * must not break. Its output is committed, since a clone may lack history.
 */
const folder = mkdtempSync(join(tmpdir(), 'latchkey-baseline-'))
try {
  const parts = ['packages/server/src', 'packages/latchkey/src', 'tsconfig.base.json']
  const archive = execFileSync('git', ['archive', commit, ...parts], { cwd: root, maxBuffer: 1 << 28 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  const bundle = await rolldown({
    input: join(folder, 'packages/server/src/cli/main.ts'),
    platform: 'node',
    resolve: { alias: { 'latchkey/wire': join(folder, 'packages/latchkey/src/exports/wire.ts') } },
    external: (id) => !/^(?:\.|\/|latchkey\/wire)/.test(id),
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  const [entry, ...others] = output
  if (others.length > 0) throw new Error(`More than one file: ${others.map((file) => file.fileName).join(', ')}`)
  const target = join(root, 'packages/testkit/src/baseline')
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'server.mjs.gz'), gzipSync(entry.code, { level: 9 }))
  console.log(`${entry.code.length} characters of ${commit}`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
