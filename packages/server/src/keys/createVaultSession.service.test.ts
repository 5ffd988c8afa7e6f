import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestVault, type TestVault } from '@latchkey/testkit/vault'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { createVaultSession, type VaultLogin } from './createVaultSession.ts'
import { vaultKeyEncryption } from './vaultKeyEncryption.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-vault-'))
afterAll(() => rmSync(folder, { recursive: true }))
const jwtPath = join(folder, 'token')

let vault: TestVault
let time = 0
beforeEach(async () => {
  vault = await startTestVault()
  writeFileSync(jwtPath, `${vault.serviceAccount.jwt}\n`)
})
afterEach(() => vault.close())

const appRole = (): VaultLogin => ({ method: 'approle', ...vault.appRole })
const kubernetes = (): VaultLogin => ({ method: 'kubernetes', role: vault.serviceAccount.role, jwtPath })
const openSession = () =>
  createVaultSession({ url: vault.url, login: appRole(), headers: {}, timeoutMs: 5_000, now: () => time })
const calls = () => vault.requests.map((request) => request.replace('POST /v1/auth/', ''))

const dek = randomBytes(32)
const aad = new TextEncoder().encode('org|wallet|1')

test.each([
  ['AppRole', appRole],
  ['Kubernetes', kubernetes],
] as const)('wraps by a login with %s, and logs in again after its token was revoked', async (_, login) => {
  const { url, key } = vault
  const encryption = vaultKeyEncryption({ url, key, login: login() })
  const wrapped = await encryption.wrap(dek, aad)
  vault.revoke()
  expect(Buffer.from(await encryption.unwrap(wrapped, aad))).toEqual(dek)
  expect(calls().filter((call) => call.endsWith('/login'))).toHaveLength(2)
})

test('logs in once for concurrent calls, and renews after two thirds of the lifetime', async () => {
  const session = openSession()
  const tokens = await Promise.all([session.readToken(), session.readToken()])
  expect(new Set(tokens).size).toBe(1)
  time += 2_000_000
  expect(await session.readToken()).toBe(tokens[0])
  expect(calls()).toEqual(['approle/login'])
  time += 500_000
  expect(await session.readToken()).toBe(tokens[0])
  expect(calls()).toEqual(['approle/login', 'token/renew-self'])
})

test('logs in again where the token is renewed no longer, or only for a short time', async () => {
  const session = openSession()
  const first = await session.readToken()
  vault.lease.seconds = 60
  time += 3_000_000
  const second = await session.readToken()
  expect(second).not.toBe(first)
  vault.lease.isRenewable = false
  time += 50_000
  expect(await session.readToken()).not.toBe(second)
  expect(calls()).toEqual(['approle/login', 'token/renew-self', 'approle/login', 'token/renew-self', 'approle/login'])
})

test('keeps a token that is still valid while Vault is away, and fails after its end', async () => {
  const session = openSession()
  const token = await session.readToken()
  await vault.close()
  time += 3_000_000
  expect(await session.readToken()).toBe(token)
  time += 1_000_000
  await expect(session.readToken()).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' })
})

test('explains a refused login without its secret, and a missing service account', async () => {
  const { url, key } = vault
  const open = (login: VaultLogin) => vaultKeyEncryption({ url, key, login })
  const secretId = 'a-wrong-secret-id'
  const refused = open({ method: 'approle', roleId: vault.appRole.roleId, secretId }).wrap(dek, aad)
  const error: Error = await refused.then(
    () => new TypeError('It was taken.'),
    (refusal) => refusal,
  )
  expect(error.message).toMatch(/^Vault refused the login with status 400\. Check LATCHKEY_VAULT_AUTH/)
  expect(JSON.stringify([error.message, error.stack, error.cause])).not.toContain(secretId)
  await expect(open({ method: 'kubernetes', role: 'x', jwtPath: join(folder, 'none') }).wrap(dek, aad)).rejects.toThrow(
    'cannot be read. Mount it',
  )
  expect(() => vaultKeyEncryption({ url, key, login: appRole(), token: 'hvs.x' })).toThrow('either a token or a login')
})
