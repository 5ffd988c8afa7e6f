import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startTestVault, type TestVault } from '@latchkey/testkit/vault'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { vaultKeyEncryption } from './vaultKeyEncryption.ts'

let vault: TestVault
beforeEach(async () => {
  vault = await startTestVault()
})
afterEach(() => vault.close())

const dek = randomBytes(32)
const aad = new TextEncoder().encode('org|wallet|1')
const open = (changes: Partial<vaultKeyEncryption.Options> = {}) => vaultKeyEncryption({ ...vault, ...changes })

test('wraps and unwraps a key', async () => {
  const wrapped = await open().wrap(dek, aad)
  expect(Buffer.from(wrapped).toString()).toMatch(/^vault:v1:/)
  expect(Buffer.from(await open().unwrap(wrapped, aad))).toEqual(dek)
  expect(open().owns(wrapped)).toBe(true)
  expect(open().owns(randomBytes(60))).toBe(false)
})

test('wraps with the new version after a rotation and opens old versions until Vault forgets them', async () => {
  const old = await open().wrap(dek, aad)
  expect(await open().isCurrent(old)).toBe(true)
  vault.rotate()
  expect(await open().isCurrent(old)).toBe(false)
  expect(Buffer.from(await open().unwrap(old, aad))).toEqual(dek)
  const next = await open().wrap(dek, aad)
  expect(Buffer.from(next).toString()).toMatch(/^vault:v2:/)
  vault.forgetBelow(2)
  await expect(open().unwrap(old, aad)).rejects.toMatchObject({ code: 'KEY_SERVICE_FAILED', status: 503 })
  expect(Buffer.from(await open().unwrap(next, aad))).toEqual(dek)
})

test('refuses another wallet and changed text', async () => {
  const wrapped = await open().wrap(dek, aad)
  await expect(open().unwrap(wrapped, new TextEncoder().encode('org|other|1'))).rejects.toMatchObject({ status: 503 })
  const changed = Buffer.from(wrapped)
  changed[changed.length - 8] = changed.at(-8) === 65 ? 66 : 65
  await expect(open().unwrap(changed, aad)).rejects.toMatchObject({ code: 'KEY_SERVICE_FAILED' })
})

test('explains a wrong token, key or mount without the token', async () => {
  await expect(open({ token: 'hvs.wrong' }).wrap(dek, aad)).rejects.toThrow(
    'Vault refused with status 403: its token or policy does not allow this.',
  )
  for (const changes of [{ key: 'other' }, { mount: 'other' }])
    await expect(open(changes).wrap(dek, aad)).rejects.toMatchObject({ code: 'KEY_SERVICE_FAILED', status: 503 })
  for (const url of ['vault', 'http://vault.example:8200'])
    expect(() => open({ url }), url).toThrow('the URL of Vault, by https')
  expect(() => open({ token: 'a\nb' })).toThrow('a token for Vault')
})

test('refuses malformed answers', async () => {
  const texts = ['<html>', '', '[]', 'null', '{"data":{}}', '\xff']
  for (const text of texts) {
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
})

test('reports late and unreachable Vaults', async () => {
  vault.hang()
  await expect(open({ timeoutMs: 200 }).wrap(dek, aad)).rejects.toMatchObject({
    code: 'TIMEOUT',
    status: 504,
    message: 'Vault did not answer within 200 ms. Try again in a moment.',
  })
  await vault.close()
  await expect(open().wrap(dek, aad)).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' })
})
