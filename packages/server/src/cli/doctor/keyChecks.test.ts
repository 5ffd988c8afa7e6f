import { randomUUID } from 'node:crypto'
import { startTestAwsKms, type TestAwsKms } from '@latchkey/testkit/awsKms'
import { type Bend, startFaultyProxy } from '@latchkey/testkit/faults/startFaultyProxy'
import { startTestVault } from '@latchkey/testkit/vault'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { readConfig } from '../readConfig.ts'
import { keyChecks } from './keyChecks.ts'

let kms: TestAwsKms
beforeEach(async () => {
  kms = await startTestAwsKms()
})
afterEach(() => kms.close())

async function roundTrip(changes: Record<string, string> = {}): Promise<unknown> {
  const { server } = readConfig({
    LATCHKEY_ROLES: 'custody',
    DATABASE_URL: 'postgres://localhost/latchkey',
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_ROOT_API_PUBLIC_KEY: createApiKeyPair().publicKey,
    LATCHKEY_MAIL_SEAL_KEY: createApiKeyPair().privateKey,
    LATCHKEY_KEY_ENCRYPTION: 'aws-kms',
    LATCHKEY_AWS_KMS_KEY: kms.key,
    LATCHKEY_AWS_KMS_URL: kms.url,
    LATCHKEY_AWS_REGION: kms.region,
    LATCHKEY_AWS_ACCESS_KEY_ID: kms.accessKeyId,
    LATCHKEY_AWS_SECRET_ACCESS_KEY: kms.secretAccessKey,
    LATCHKEY_AWS_SESSION_TOKEN: kms.sessionToken,
    ...changes,
  })
  return keyChecks({ server })
    .find(({ name }) => name === 'key encryption')
    ?.run()
}

test('wraps and unwraps a key by AWS KMS for its wallet only', async () => {
  expect(await roundTrip()).toBe('wraps and unwraps a key')
  expect(kms.requests.map(({ target }) => target)).toEqual([
    'TrentService.Encrypt',
    'TrentService.Decrypt',
    'TrentService.Decrypt',
  ])
})

test('explains a missing key, a wrong secret and a disabled key', async () => {
  await expect(roundTrip({ LATCHKEY_AWS_KMS_KEY: 'alias/none' })).rejects.toThrow('there is no such key in this region')
  await expect(roundTrip({ LATCHKEY_AWS_SECRET_ACCESS_KEY: 'x'.repeat(40) })).rejects.toThrow('check the secret')
  kms.refuse('DisabledException')
  await expect(roundTrip()).rejects.toThrow('its key is disabled: enable it')
})

async function roundTripBy(bend: Bend): Promise<unknown> {
  const vault = await startTestVault()
  const proxy = await startFaultyProxy(vault.url)
  proxy.bend(bend)
  try {
    return await roundTrip({
      LATCHKEY_KEY_ENCRYPTION: 'vault',
      LATCHKEY_VAULT_URL: proxy.url,
      LATCHKEY_VAULT_TOKEN: vault.token,
      LATCHKEY_VAULT_KEY: vault.key,
    })
  } finally {
    await proxy.close()
    await vault.close()
  }
}

const reply = (plaintext: string) => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ data: { plaintext } })),
})

test('detects a key service that returns another key or ignores the wallet', async () => {
  let first = ''
  const other: Bend = async ({ path }, pass) =>
    path.includes('/decrypt/') ? reply(Buffer.alloc(32, 7).toString('base64')) : pass()
  await expect(roundTripBy(other)).rejects.toThrow('returns another key than it was given')
  const any: Bend = async ({ path, body }, pass) => {
    if (path.includes('/encrypt/')) first = JSON.parse(body.toString()).plaintext
    return path.includes('/decrypt/') ? reply(first) : pass()
  }
  await expect(roundTripBy(any)).rejects.toThrow('unwraps a key for another wallet than it was wrapped for')
})
