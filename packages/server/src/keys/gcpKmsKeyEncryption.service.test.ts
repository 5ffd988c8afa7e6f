import { randomBytes } from 'node:crypto'
import { startTestGcpKms } from '@latchkey/testkit/gcpKms'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createGcpToken } from './createGcpToken.ts'
import { gcpKmsKeyEncryption } from './gcpKmsKeyEncryption.ts'
import { openKeyEncryption } from './openKeyEncryption.ts'

let kms: Awaited<ReturnType<typeof startTestGcpKms>>
beforeEach(async () => {
  kms = await startTestGcpKms()
})
afterEach(() => kms.close())

const dek = randomBytes(32)
const aad = new TextEncoder().encode('org|wallet|1')
const options = () => ({ key: kms.key, url: kms.url, metadataUrl: kms.url })
const open = (changes: Partial<gcpKmsKeyEncryption.Options> = {}) => gcpKmsKeyEncryption({ ...options(), ...changes })

test('wraps and unwraps by the service account, with requests that name no user', async () => {
  const encryption = openKeyEncryption({ current: { type: 'gcp-kms', ...options() }, mode: 'production' })
  const wrapped = await encryption.wrap(dek, aad)
  expect(Buffer.from(wrapped).toString('latin1')).toMatch(/^gcp-kms:/)
  expect(Buffer.from(await encryption.unwrap(wrapped, aad))).toEqual(dek)
  expect([encryption.owns(wrapped), encryption.owns(randomBytes(60))]).toEqual([true, false])
  expect(await encryption.isCurrent(wrapped)).toBe(true)
  expect(kms.requests.join()).not.toContain(Buffer.from(aad).toString('base64'))
  expect(kms.issued).toHaveLength(1)
})

test('refuses another wallet and changed bytes', async () => {
  const wrapped = await open().wrap(dek, aad)
  const changed = Buffer.from(wrapped)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  for (const [bytes, owner] of [
    [wrapped, new TextEncoder().encode('org|other|1')],
    [changed, aad],
  ] as const)
    await expect(open().unwrap(bytes, owner)).rejects.toThrow('(INVALID_ARGUMENT): what is stored was wrapped for')
})

test('gets another token before the end of one, and after it was refused', async () => {
  let time = 0
  const tokens = createGcpToken({ metadataUrl: kms.url, now: () => time })
  const first = await tokens.read(1_000)
  time = 3_500_000
  expect(await tokens.read(1_000)).toBe(first)
  time = 3_541_000
  expect(await Promise.all([tokens.read(1_000), tokens.read(1_000)])).toEqual([kms.issued[1], kms.issued[1]])
  const encryption = open()
  await encryption.wrap(dek, aad)
  kms.revoke()
  await encryption.wrap(dek, aad)
  expect(kms.issued).toHaveLength(4)
})

test('retries transient refusals for a limited time', async () => {
  kms.refuse(429, 'RESOURCE_EXHAUSTED', 2)
  await open().wrap(dek, aad)
  kms.refuse(503, 'UNAVAILABLE', 100)
  await expect(open().wrap(dek, aad)).rejects.toMatchObject({ code: 'KEY_SERVICE_FAILED', status: 503 })
  kms.refuse(403, 'PERMISSION_DENIED')
  await expect(open().wrap(dek, aad)).rejects.toThrow('roles/cloudkms.cryptoKeyEncrypterDecrypter')
})

test('explains a wrong key and a missing service account without foreign texts', async () => {
  await expect(open({ key: kms.key.replace('wallets', 'other') }).wrap(dek, aad)).rejects.toThrow(
    'Google Cloud KMS refused with status 404 (NOT_FOUND): there is no such key.',
  )
  kms.refuse(400, 'secret text of another')
  await expect(open().wrap(dek, aad)).rejects.toThrow('Google Cloud KMS refused with status 400: see its log.')
  kms.removeAccount()
  await expect(open().wrap(dek, aad)).rejects.toThrow('Give this machine, service or pod a service account.')
  expect(() => open({ key: 'wallets' })).toThrow('needs a key: projects/')
  expect(() => open({ url: 'http://kms.example' })).toThrow('an https URL')
  expect(() => open({ metadataUrl: 'http://metadata.example' })).toThrow('from the metadata server alone')
})

test('reports late and unreachable services', async () => {
  kms.hang()
  await expect(open({ timeoutMs: 200 }).wrap(dek, aad)).rejects.toMatchObject({ code: 'TIMEOUT', status: 504 })
  await kms.close()
  await expect(open().wrap(dek, aad)).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' })
})
