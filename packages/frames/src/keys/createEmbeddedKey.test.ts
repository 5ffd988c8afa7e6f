import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createEmbeddedKey, publicKeyText } from './createEmbeddedKey.ts'

// Without IndexedDB, as in a browser that refuses it. Storage itself is tested in browsers.

beforeEach(() => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('default: one key, however often it is asked for, that cannot be exported', async () => {
  const key = createEmbeddedKey('test')
  expect(await key.read()).toBeNull()
  const made = await key.ensure()
  expect(await key.ensure()).toBe(made)
  expect(await key.read()).toBe(made)
  expect(await publicKeyText(made)).toMatch(/^04[0-9a-f]{128}$/)
  await expect(crypto.subtle.exportKey('jwk', made.privateKey)).rejects.toThrow()
})

test('behavior: warns once of a browser that refuses storage', async () => {
  const key = createEmbeddedKey('test')
  expect(key.isKept()).toBe(true)
  await key.ensure()
  await key.ensure()
  expect(key.isKept()).toBe(false)
  expect(console.warn).toHaveBeenCalledTimes(1)
})

test('behavior: two created at once are one', async () => {
  const key = createEmbeddedKey('test')
  const [one, other] = await Promise.all([key.ensure(), key.ensure()])
  expect(one).toBe(other)
})

test('behavior: a deleted key is removed, and the next one is another', async () => {
  const key = createEmbeddedKey('test')
  const first = await key.ensure()
  await key.delete()
  expect(await key.read()).toBeNull()
  expect(await key.ensure()).not.toBe(first)
})

test('behavior: lasts 48 hours from its creation, not from its last use', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  const key = createEmbeddedKey('test')
  const first = await key.ensure()
  vi.setSystemTime(Date.now() + 172_799_000)
  expect(await key.ensure()).toBe(first)
  vi.setSystemTime(Date.now() + 1000)
  expect(await key.read()).toBeNull()
  expect(await key.ensure()).not.toBe(first)
})

test('error: a page that is not secure', async () => {
  vi.spyOn(globalThis, 'crypto', 'get').mockReturnValue({} as Crypto)
  await expect(createEmbeddedKey('test').ensure()).rejects.toThrow('by https')
})
