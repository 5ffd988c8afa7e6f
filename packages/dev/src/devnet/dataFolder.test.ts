import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockFolder } from './dataFolder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('locks a folder and releases it', () => {
  const lock = lockFolder(join(folder, 'deep', 'er'))
  expect(existsSync(join(folder, 'deep', 'er', 'lock'))).toBe(true)
  lock.release()
  expect(existsSync(join(folder, 'deep', 'er', 'lock'))).toBe(false)
})

test('names the living process that holds a folder', () => {
  const lock = lockFolder(folder)
  expect(() => lockFolder(folder)).toThrow(
    expect.objectContaining({
      code: 'DATA_DIR_TAKEN',
      message: expect.stringContaining(`process ${process.pid}`),
    }),
  )
  lock.release()
  lockFolder(folder).release()
})

test.each([
  ['a process that is gone', { pid: 2 ** 22 + 1 }],
  ['a number another process has now', { pid: process.ppid, startedAt: '1' }],
  ['nobody', { pid: 'x' }],
])('takes over the lock of %s', (_, owner) => {
  writeFileSync(join(folder, 'lock'), JSON.stringify(owner))
  lockFolder(folder).release()
})

test('keeps the lock of another process', () => {
  const lock = lockFolder(folder)
  const path = join(folder, 'lock')
  writeFileSync(path, JSON.stringify({ pid: process.ppid }))
  lock.release()
  expect(existsSync(path)).toBe(true)
})
