import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { fileKeyEncryption } from './fileKeyEncryption.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-key-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'key')
const aad = new Uint8Array()

test('default', async () => {
  const dek = Uint8Array.of(1, 2, 3)
  const wrapped = await fileKeyEncryption({ path, mode: 'development' }).wrap(dek, aad)
  expect(await fileKeyEncryption({ path, mode: 'development' }).unwrap(wrapped, aad)).toEqual(Buffer.from(dek))
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('error: in production', () => {
  expect(() => fileKeyEncryption({ path, mode: 'production' })).toThrow('is for development only')
})

test('error: a folder that is not there', () => {
  expect(() => fileKeyEncryption({ path: join(folder, 'none', 'key'), mode: 'development' })).toThrow('cannot be made')
})
