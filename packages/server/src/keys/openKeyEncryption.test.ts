import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openKeyEncryption } from './openKeyEncryption.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-key-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'key')
const aad = new Uint8Array()
const open = (mode: 'production' | 'development', file = path) =>
  openKeyEncryption({ current: { type: 'file', path: file }, mode })

test('default: a key in a file', async () => {
  const dek = Uint8Array.of(1, 2, 3)
  const wrapped = await open('development').wrap(dek, aad)
  expect(await open('development').unwrap(wrapped, aad)).toEqual(Buffer.from(dek))
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('error: a file in production', () => {
  expect(() => open('production')).toThrow('is for development only')
})

test('error: a file in a folder that does not exist', () => {
  expect(() => open('development', join(folder, 'none', 'key'))).toThrow('cannot be made')
})
