import { inspect } from 'node:util'
import { verifyMessage } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { memoryStorage } from '../../../core/storage/memoryStorage.ts'
import { SessionKeySigner } from './SessionKeySigner.ts'

const page = globalThis as { localStorage?: unknown; sessionStorage?: unknown }

function inBrowser() {
  const [localStorage, sessionStorage] = [memoryStorage(), memoryStorage()]
  for (const [name, value] of Object.entries({ localStorage, sessionStorage }))
    Object.defineProperty(globalThis, name, { value, configurable: true })
  return { localStorage, sessionStorage }
}

afterEach(() => {
  Reflect.deleteProperty(page, 'localStorage')
  Reflect.deleteProperty(page, 'sessionStorage')
})

test('creates, stores and restores a key', async () => {
  const { localStorage } = inBrowser()
  const signer = new SessionKeySigner()
  const stored = localStorage.getItem('session-key-signer:session-key')
  expect(stored).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await signer.getAddress()).toBe(privateKeyToAddress(stored as `0x${string}`))
  expect(await new SessionKeySigner().getAddress()).toBe(await signer.getAddress())
  expect(signer.signerType).toBe('alchemy:session-key')
})

test('replaces the key in memory and in storage', async () => {
  inBrowser()
  const signer = new SessionKeySigner()
  const before = await signer.getAddress()
  const after = signer.generateNewKey()
  expect(after).not.toBe(before)
  expect(await signer.getAddress()).toBe(after)
  expect(await new SessionKeySigner().getAddress()).toBe(after)
})

test('replaces a stored value that is not a key, and accepts a stored key', async () => {
  const { localStorage } = inBrowser()
  const before = await new SessionKeySigner().getAddress()
  for (const stored of [`0x${'11'.repeat(32)}`, `0x${'00'.repeat(32)}`, `0x${'ff'.repeat(32)}`, '', '0x', '{}']) {
    localStorage.setItem('session-key-signer:session-key', stored)
    const signer = new SessionKeySigner()
    expect(await signer.getAddress()).not.toBe(before)
    expect(localStorage.getItem('session-key-signer:session-key')).toMatch(/^0x[0-9a-f]{64}$/)
    const signature = await signer.signMessage({ message: 'hello' })
    expect(await verifyMessage({ address: await signer.getAddress(), message: 'hello', signature })).toBe(true)
  }
})

test('never prints the key', () => {
  const { localStorage } = inBrowser()
  const signer = new SessionKeySigner()
  const key = localStorage.getItem('session-key-signer:session-key') ?? 'none'
  for (const shown of [JSON.stringify(signer), inspect(signer, { depth: 9, showHidden: true })])
    expect(shown).not.toContain(key.slice(2))
})

test('keeps the earlier key when storage refuses writes', async () => {
  const { localStorage } = inBrowser()
  const signer = new SessionKeySigner()
  const before = await signer.getAddress()
  localStorage.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }
  const failed = expect.objectContaining({
    code: 'STORAGE_FAILED',
    shortMessage: 'The session key could not be stored.',
  })
  expect(() => signer.generateNewKey()).toThrow(failed)
  expect(await signer.getAddress()).toBe(before)
  localStorage.removeItem('session-key-signer:session-key')
  expect(() => new SessionKeySigner()).toThrow(failed)
})

test('refuses to run outside a browser and without storage', () => {
  const refused = expect.objectContaining({
    code: 'CLIENT_ONLY',
    shortMessage: 'localStorage is only available on the client',
  })
  expect(() => new SessionKeySigner()).toThrow(refused)
  // Simulates Node 25 without `--localstorage-file`: `localStorage` exists but has no methods.
  page.localStorage = {}
  expect(() => new SessionKeySigner()).toThrow(refused)
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    get: () => {
      throw new Error('denied')
    },
  })
  expect(() => new SessionKeySigner()).toThrow(refused)
})
