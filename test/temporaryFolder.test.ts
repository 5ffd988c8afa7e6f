import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import setUp from './temporaryFolder.ts'

const isRoot = process.getuid?.() === 0
/** Where runs have their folders: the one of this run lies there. */
const root = dirname(tmpdir())
/** No system gives a process such a number. */
const nobody = 99_999_999

beforeEach(() => {
  vi.stubEnv('TMPDIR', root)
  return () => vi.unstubAllEnvs()
})

/** What a killed run left. */
function leftFolder(): string {
  const folder = mkdtempSync(join(root, `latchkey-tests-${nobody}-`))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('default', () => {
  const left = leftFolder()
  const end = setUp()
  const folder = tmpdir()
  expect(dirname(folder)).toBe(root)
  expect(existsSync(left)).toBe(false)
  writeFileSync(join(folder, 'a'), '')
  end()
  expect(existsSync(folder)).toBe(false)
  expect(tmpdir()).toBe(root)
})

test('behavior: what a killed run of another user left hinders nobody', () => {
  const left = leftFolder()
  // An ordinary user cannot be another; a closed folder refuses them as one of somebody else would.
  const closed = join(left, 'closed')
  mkdirSync(closed)
  writeFileSync(join(closed, 'a'), '')
  chmodSync(closed, 0o500)
  onTestFinished(() => {
    if (existsSync(closed)) chmodSync(closed, 0o700)
  })
  if (isRoot) process.seteuid?.(1)
  try {
    expect(() => setUp()()).not.toThrow()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})
