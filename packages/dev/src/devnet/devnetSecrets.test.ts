import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { derivePublicKey, devnetSecrets } from './devnetSecrets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('creates secrets of the right form in a private file', () => {
  const secrets = devnetSecrets(folder)
  expect(secrets).toEqual({
    databasePassword: expect.stringMatching(/^[\w-]{32}$/),
    rootOrganizationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    rootApiKey: {
      publicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      privateKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
    keyEncryptionKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    mailSealKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    bundleSigningKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    operatorKey: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    operatorSecret: expect.stringMatching(/^lko_dev_[\w-]{43}$/),
  })
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test('keeps secrets, and creates others in another folder', () => {
  const first = devnetSecrets(folder)
  expect(devnetSecrets(folder)).toEqual(first)
  rmSync(join(folder, 'secrets.json'))
  const second = devnetSecrets(folder)
  expect(second.keyEncryptionKey).not.toBe(first.keyEncryptionKey)
  expect(second.bundleSigningKey).not.toBe(first.bundleSigningKey)
})

test('makes a readable secrets file private again', () => {
  devnetSecrets(folder)
  chmodSync(join(folder, 'secrets.json'), 0o644)
  devnetSecrets(folder)
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
})

test('keeps the keys of an older file and adds newer ones', () => {
  const { bundleSigningKey, operatorKey, operatorSecret, ...older } = devnetSecrets(folder)
  const path = join(folder, 'secrets.json')
  writeFileSync(path, JSON.stringify({ ...older, apiKey: 'lk_dev_old' }))
  const secrets = devnetSecrets(folder)
  expect(secrets).toMatchObject({ ...older, bundleSigningKey: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
  expect(secrets.bundleSigningKey).not.toBe(bundleSigningKey)
  expect([secrets.operatorKey === operatorKey, secrets.operatorSecret === operatorSecret]).toEqual([false, false])
  expect(devnetSecrets(folder)).toEqual(secrets)
})

test('derives the public key that verifies export bundles', () => {
  // The public key of scalar 1 is the curve's base point (SEC 2, secp256r1).
  expect(derivePublicKey(`0x${'1'.padStart(64, '0')}`)).toBe(
    '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5',
  )
})

test.each(['', '{}', '{"apiKey":"x"}', 'null'])('refuses a damaged file and keeps it (%j)', (text) => {
  const path = join(folder, 'secrets.json')
  writeFileSync(path, text)
  expect(() => devnetSecrets(folder)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  expect(readFileSync(path, 'utf8')).toBe(text)
})
