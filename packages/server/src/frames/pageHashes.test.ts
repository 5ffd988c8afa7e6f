import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { pageHashes } from './pageHashes.ts'

const pagesDir = mkdtempSync(join(tmpdir(), 'latchkey-test-pages-'))
const hashOf = (text: string) => `sha256-${createHash('sha256').update(text).digest('base64')}`
const write = (path: string, text: string) => writeFileSync(join(pagesDir, path), text)

beforeEach(() => {
  mkdirSync(join(pagesDir, 'auth'), { recursive: true })
  write('auth/main.js', 'start()')
  write('auth/index.html', '<p>')
  const hashes = { 'auth/index.html': hashOf('<p>'), 'auth/main.js': hashOf('start()') }
  write('hashes.json', JSON.stringify(hashes))
})
afterAll(() => rmSync(pagesDir, { recursive: true, force: true }))

test('default', () => {
  expect(pageHashes({ pagesDir })).toEqual([
    { path: 'auth/index.html', hash: hashOf('<p>'), isPublished: true },
    { path: 'auth/main.js', hash: hashOf('start()'), isPublished: true },
  ])
})

test('behavior: a changed file and an added one are no longer the published ones', () => {
  write('auth/main.js', 'steal()')
  write('auth/more.js', '')
  const found = pageHashes({ pagesDir })
  expect(found.map(({ path, isPublished }) => [path, isPublished])).toEqual([
    ['auth/index.html', true],
    ['auth/main.js', false],
    ['auth/more.js', false],
  ])
  rmSync(join(pagesDir, 'auth/more.js'))
})

test('error: pages that are not built', () => {
  write('hashes.json', '{')
  expect(() => pageHashes({ pagesDir })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  expect(() => pageHashes({ pagesDir: join(pagesDir, 'none') })).toThrow('Run the build')
})
