import { randomBytes } from 'node:crypto'
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

test('keeps a key in a file', async () => {
  const dek = Uint8Array.of(1, 2, 3)
  const wrapped = await open('development').wrap(dek, aad)
  expect(await open('development').unwrap(wrapped, aad)).toEqual(Buffer.from(dek))
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('refuses a key file in production or in a missing folder', () => {
  expect(() => open('production')).toThrow('is for development only')
  expect(() => open('development', join(folder, 'none', 'key'))).toThrow('cannot be made')
})

test('refuses a well-known key in production except as a predecessor', async () => {
  const known = { type: 'local', key: '11'.repeat(32) } as const
  expect(() => openKeyEncryption({ current: known, mode: 'production' })).toThrow('is a test key that others know')
  const own = { type: 'local', key: randomBytes(32).toString('hex') } as const
  const wrapped = await openKeyEncryption({ current: known, mode: 'development' }).wrap(Uint8Array.of(1), aad)
  const next = openKeyEncryption({ current: own, previous: [known], mode: 'production' })
  expect(await next.unwrap(wrapped, aad)).toEqual(Buffer.from([1]))
})
