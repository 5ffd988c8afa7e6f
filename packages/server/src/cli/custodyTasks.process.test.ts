import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { startTestAwsKms } from '@latchkey/testkit/awsKms'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { startTestVault } from '@latchkey/testkit/vault'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { custodyApp } from '../custody/app.ts'
import { awsKmsKeyEncryption } from '../keys/awsKmsKeyEncryption.ts'
import { chainKeyEncryption, type KeyEncryption, localKeyEncryption } from '../keys/keyEncryption.ts'
import { vaultKeyEncryption } from '../keys/vaultKeyEncryption.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { run } from './run.ts'

/** The installed program. */
const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const nextKey = randomBytes(32).toString('hex')
const users: TestUser[] = []
const custody = await startTestCustody()
for (let index = 0; index < 5; index++) users.push(await custody.createUser())
expect(await canSign(custody.deps.keyEncryption)).toBe(true)
afterAll(() => custody.close())

const environment = () => ({
  DATABASE_URL: custody.store.databaseUrl,
  LATCHKEY_KEY_ENCRYPTION_KEY: nextKey,
  LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS: custody.keyEncryptionKey,
})

async function command(word: string, changes: Record<string, string> = {}): Promise<{ code: number; text: string }> {
  const lines: string[] = []
  const print = (text: string) => lines.push(text)
  const stop = new AbortController().signal
  const code = await run({ arguments: [word], environment: { ...environment(), ...changes }, print, stop })
  return { code, text: lines.join('\n') }
}

async function canSign(keyEncryption: KeyEncryption): Promise<boolean> {
  const app = await custodyApp({ ...custody.deps, keyEncryption })
  const answers = await Promise.all(
    users.map((user) => {
      const body = JSON.stringify(custody.signing(user))
      const headers = { 'x-stamp': createStamp(body, user.key).stampHeaderValue }
      return app.request('/public/v1/submit/sign_raw_payload', { method: 'POST', body, headers })
    }),
  )
  return answers.every(({ status }) => status === 200)
}

test('resumes a killed rotate-keys, while all users can sign', async () => {
  const { pool, db } = custody.store
  const next = localKeyEncryption({ key: nextKey })
  const both = chainKeyEncryption(next, [localKeyEncryption({ key: custody.keyEncryptionKey })])
  const countWrapped = async () => {
    const rows = await db.selectFrom('wallets').select(['id', 'wrapped_key']).orderBy('id').execute()
    return rows.map(({ wrapped_key }) => next.owns(wrapped_key))
  }
  const [, , third] = await db.selectFrom('wallets').select('id').orderBy('id').execute()
  // The process blocks on the row locked here, and is killed while it waits.
  const holder = await pool.connect()
  await holder.query('begin')
  await holder.query('select from wallets where id = $1 for update', [third?.id])
  const child = spawn(process.execPath, [program, 'rotate-keys'], { env: environment(), stdio: 'ignore' })
  const ended = once(child, 'exit')
  for (let tries = 0; (await countWrapped())[1] !== true; tries++) {
    expect(tries).toBeLessThan(1_800)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(child.exitCode).toBeNull()
  expect(await canSign(both)).toBe(true)
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  // The dead process must not finish its pending statement later.
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  )
  await holder.query('rollback')
  holder.release()
  expect(await countWrapped()).toEqual([true, true, false, false, false])
  expect(await canSign(both)).toBe(true)

  expect(await command('rotate-keys')).toMatchObject({
    code: 0,
    text: expect.stringMatching(/wallets: \d+ checked, 3 re-wrapped[\s\S]*All keys use the current key-encryption key/),
  })
  expect(await countWrapped()).toEqual([true, true, true, true, true])
  expect(await canSign(next)).toBe(true)
  expect((await command('rotate-keys')).text).toContain('Done: re-wrapped 0 of')
})

test('rotates keys from a secret to AWS KMS, to Vault and back, while all users can sign', async () => {
  const [kms, vault] = await Promise.all([startTestAwsKms(), startTestVault()])
  onTestFinished(async () => {
    await Promise.all([kms.close(), vault.close()])
  })
  const settings = {
    LATCHKEY_AWS_KMS_KEY: kms.key,
    LATCHKEY_AWS_KMS_URL: kms.url,
    LATCHKEY_AWS_REGION: kms.region,
    LATCHKEY_AWS_ACCESS_KEY_ID: kms.accessKeyId,
    LATCHKEY_AWS_SECRET_ACCESS_KEY: kms.secretAccessKey,
    LATCHKEY_AWS_SESSION_TOKEN: kms.sessionToken,
    LATCHKEY_VAULT_URL: vault.url,
    LATCHKEY_VAULT_TOKEN: vault.token,
    LATCHKEY_VAULT_KEY: vault.key,
  }
  const secret = localKeyEncryption({ key: nextKey })
  const ways: [changes: Record<string, string>, KeyEncryption][] = [
    [{ LATCHKEY_KEY_ENCRYPTION: 'aws-kms', LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS: nextKey }, awsKmsKeyEncryption(kms)],
    [{ LATCHKEY_KEY_ENCRYPTION: 'vault', LATCHKEY_KEY_ENCRYPTION_PREVIOUS: 'aws-kms' }, vaultKeyEncryption(vault)],
    [{ LATCHKEY_KEY_ENCRYPTION: 'secret', LATCHKEY_KEY_ENCRYPTION_PREVIOUS: 'vault' }, secret],
  ]
  for (const [changes, keyEncryption] of ways) {
    const { code, text } = await command('rotate-keys', {
      LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS: '',
      ...settings,
      ...changes,
    })
    expect([code, text]).toEqual([0, expect.stringMatching(/Done: re-wrapped (\d{2}) of \1 keys/)])
    expect(text).not.toContain(kms.secretAccessKey)
    expect(await canSign(keyEncryption)).toBe(true)
  }
})

test('refuses rotate-keys without the key that wrapped', async () => {
  const key = randomBytes(32).toString('hex')
  const changes = { LATCHKEY_KEY_ENCRYPTION_KEY: key, LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS: '' }
  expect(await command('rotate-keys', changes)).toEqual({
    code: 1,
    text: expect.stringContaining('wrapped by another key-encryption key'),
  })
})
