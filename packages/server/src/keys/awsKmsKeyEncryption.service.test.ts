import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestAwsKms, type TestAwsKms } from '@latchkey/testkit/awsKms'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { awsKmsKeyEncryption } from './awsKmsKeyEncryption.ts'
import { openKeyEncryption } from './openKeyEncryption.ts'

let kms: TestAwsKms
beforeEach(async () => {
  kms = await startTestAwsKms()
})
afterEach(() => kms.close())

const dek = randomBytes(32)
const aad = new TextEncoder().encode('org|wallet|1')
const open = (changes: Partial<awsKmsKeyEncryption.Options> = {}) => awsKmsKeyEncryption({ ...kms, ...changes })

test('wraps and unwraps with signed requests that name no user', async () => {
  const wrapped = await open().wrap(dek, aad)
  expect(Buffer.from(wrapped).toString('latin1')).toMatch(/^aws-kms:/)
  expect(Buffer.from(await open().unwrap(wrapped, aad))).toEqual(dek)
  expect([open().owns(wrapped), open().owns(randomBytes(60))]).toEqual([true, false])
  expect(kms.requests.map(({ target }) => target)).toEqual(['TrentService.Encrypt', 'TrentService.Decrypt'])
  for (const { context } of kms.requests) expect(context).toEqual({ latchkey: expect.stringMatching(/^[0-9a-f]{64}$/) })
})

test('keeps keys across a KMS rotation and opens keys of a previous secret', async () => {
  const old = await open().wrap(dek, aad)
  kms.rotate()
  expect(await open().isCurrent(old)).toBe(true)
  expect(Buffer.from(await open().unwrap(old, aad))).toEqual(dek)
  const before = { type: 'local', key: randomBytes(32).toString('hex') } as const
  const local = await openKeyEncryption({ current: before, mode: 'production' }).wrap(dek, aad)
  const current = { type: 'aws-kms', ...kms } as const
  const next = openKeyEncryption({ current, previous: [before], mode: 'production' })
  expect([await next.isCurrent(local), Buffer.from(await next.unwrap(local, aad))]).toEqual([false, dek])
  // The previous key encryption can also be KMS.
  const back = openKeyEncryption({ current: before, previous: [current], mode: 'production' })
  expect([await back.isCurrent(old), Buffer.from(await back.unwrap(old, aad))]).toEqual([false, dek])
})

test('retries transient refusals for a limited time', async () => {
  for (const type of ['ThrottlingException', 'com.amazonaws.kms#ThrottlingException', 'KMSInternalException']) {
    kms.refuse(type, 2)
    expect(Buffer.from(await open().unwrap(await open().wrap(dek, aad), aad))).toEqual(dek)
  }
  kms.refuse('ThrottlingException', 100)
  await expect(open().wrap(dek, aad)).rejects.toMatchObject({
    code: 'KEY_SERVICE_FAILED',
    status: 503,
    message: 'AWS KMS refused with status 400 (ThrottlingException): too many requests: raise the quota of the region.',
  })
  kms.refuse('AccessDeniedException', 1)
  await expect(open().wrap(dek, aad)).rejects.toThrow('allow kms:Encrypt and kms:Decrypt')
  // Succeeds, since the failed call was attempted once and used up the only refusal.
  await open().wrap(dek, aad)
})

test('refuses another wallet, changed bytes and another key', async () => {
  const wrapped = await open().wrap(dek, aad)
  const changed = Buffer.from(wrapped)
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1
  for (const [bytes, owner] of [
    [wrapped, new TextEncoder().encode('org|other|1')],
    [changed, aad],
  ] as const)
    await expect(open().unwrap(bytes, owner)).rejects.toThrow(
      '(InvalidCiphertextException): what is stored was wrapped',
    )
  await expect(open({ key: 'alias/other' }).unwrap(wrapped, aad)).rejects.toThrow('there is no such key in this region')
})

test('explains wrong credentials without secrets or foreign texts', async () => {
  const wrong: [Partial<awsKmsKeyEncryption.Options>, string][] = [
    [{ secretAccessKey: 'x'.repeat(40) }, '(InvalidSignatureException): check the secret of the access key'],
    [{ accessKeyId: 'AKIA0000000000000000' }, '(UnrecognizedClientException): check the access key'],
    [{ sessionToken: 'other' }, '(UnrecognizedClientException)'],
    [{ region: 'us-east-1' }, '(InvalidSignatureException)'],
  ]
  for (const [changes, text] of wrong) {
    const error: Error = await open(changes)
      .wrap(dek, aad)
      .then(
        () => new TypeError('It was taken.'),
        (refusal) => refusal,
      )
    expect(error.message).toContain(text)
    for (const secret of [kms.secretAccessKey, kms.sessionToken, 'c2VjcmV0', '111122223333', dek.toString('base64')])
      expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain(secret)
  }
  kms.refuse('secret text of another')
  await expect(open().wrap(dek, aad)).rejects.toThrow('AWS KMS refused with status 400: see its log (CloudTrail).')
})

test('reports malformed, missing and late answers', async () => {
  for (const text of ['<html>', '', '[]', 'null', '{"CiphertextBlob":7}', '{"CiphertextBlob":"<>"}']) {
    const other = createServer((_, response) => response.end(text))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${String((other.address() as AddressInfo).port)}`
    try {
      await expect(open({ url }).wrap(dek, aad), text).rejects.toMatchObject({
        code: 'KEY_SERVICE_FAILED',
        status: 503,
      })
    } finally {
      other.closeAllConnections()
      other.close()
    }
  }
  kms.hang()
  await expect(open({ timeoutMs: 200 }).wrap(dek, aad)).rejects.toMatchObject({ code: 'TIMEOUT', status: 504 })
  await kms.close()
  await expect(open().wrap(dek, aad)).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' })
})
