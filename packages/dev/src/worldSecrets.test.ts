import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { worldSecrets } from './worldSecrets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('default', () => {
  const secrets = worldSecrets(folder)
  expect(secrets).toEqual({
    databasePassword: expect.stringMatching(/^[\w-]{32}$/),
    rootOrganizationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    rootApiKey: {
      publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      privateKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    keyEncryptionKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    mailSealKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    apiKey: expect.stringMatching(/^lk_dev_[\w-]{24}$/),
  })
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test('behavior: made once, different in every world', () => {
  const first = worldSecrets(folder)
  expect(worldSecrets(folder)).toEqual(first)
  rmSync(join(folder, 'secrets.json'))
  const second = worldSecrets(folder)
  expect(second.keyEncryptionKey).not.toBe(first.keyEncryptionKey)
  expect(second.apiKey).not.toBe(first.apiKey)
})

test('behavior: a file others may read is closed to them', () => {
  worldSecrets(folder)
  chmodSync(join(folder, 'secrets.json'), 0o644)
  worldSecrets(folder)
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test.each(['', '{}', '{"apiKey":"x"}', 'null'])('error: a damaged file is told and kept (%j)', (text) => {
  const path = join(folder, 'secrets.json')
  writeFileSync(path, text)
  expect(() => worldSecrets(folder)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  expect(readFileSync(path, 'utf8')).toBe(text)
})
