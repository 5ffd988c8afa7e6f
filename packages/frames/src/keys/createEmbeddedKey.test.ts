import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEmbeddedKey, publicKeyText } from './createEmbeddedKey.ts'

// Node.js has no IndexedDB, like a browser that refuses it.

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('returns one non-extractable key', async () => {
  const key = createEmbeddedKey('test')
  expect(await key.read()).toBeNull()
  const made = await key.ensure()
  expect(await key.ensure()).toBe(made)
  expect(await key.read()).toBe(made)
  expect(await publicKeyText(made)).toMatch(/^04[0-9a-f]{128}$/)
  await expect(crypto.subtle.exportKey('jwk', made.privateKey)).rejects.toThrow()
})

test('warns once when the browser refuses storage', async () => {
  const key = createEmbeddedKey('test')
  expect(key.isKept()).toBe(true)
  await key.ensure()
  await key.ensure()
  expect(key.isKept()).toBe(false)
  expect(console.warn).toHaveBeenCalledTimes(1)
})

test('creates one key for parallel calls', async () => {
  const key = createEmbeddedKey('test')
  const [one, other] = await Promise.all([key.ensure(), key.ensure()])
  expect(one).toBe(other)
})

test('creates another key after a deletion', async () => {
  const key = createEmbeddedKey('test')
  const first = await key.ensure()
  await key.delete()
  expect(await key.read()).toBeNull()
  expect(await key.ensure()).not.toBe(first)
})

test('expires 48 hours after creation', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const key = createEmbeddedKey('test')
  const first = await key.ensure()
  vi.setSystemTime(Date.now() + 172_799_000)
  expect(await key.ensure()).toBe(first)
  vi.setSystemTime(Date.now() + 1000)
  expect(await key.read()).toBeNull()
  expect(await key.ensure()).not.toBe(first)
})

test('refuses an insecure page', async () => {
  vi.spyOn(globalThis, 'crypto', 'get').mockReturnValue({} as Crypto)
  await expect(createEmbeddedKey('test').ensure()).rejects.toThrow('by https')
})
