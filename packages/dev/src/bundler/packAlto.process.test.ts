import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { altoProgram } from './altoProgram.ts'
import { packAlto } from './packAlto.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-alto-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const help = (script: string) => execFileSync(process.execPath, [script, '--help'], { encoding: 'utf8', cwd: '/' })

test('packs one file that runs like the package, once for several parallel starts', async () => {
  const cacheDir = join(folder, 'shared')
  const paths = await Promise.all([packAlto(cacheDir), packAlto(cacheDir), packAlto(cacheDir)])
  expect(new Set(paths).size).toBe(1)
  const [path = ''] = paths
  expect(readdirSync(cacheDir)).toEqual([path.slice(cacheDir.length + 1)])
  const { mtimeMs } = statSync(path)
  expect(await packAlto(cacheDir)).toBe(path)
  expect(statSync(path).mtimeMs).toBe(mtimeMs)
  expect(help(path)).toContain('--entrypoints')
  expect(help(path).replace(/^.*?\n/, '')).toBe(help(altoProgram().script).replace(/^.*?\n/, ''))
})

test("returns the package's own script if the folder cannot be written", async () => {
  const cacheDir = join(folder, 'file')
  writeFileSync(cacheDir, '')
  chmodSync(cacheDir, 0o400)
  expect(await packAlto(cacheDir)).toBe(altoProgram().script)
})
