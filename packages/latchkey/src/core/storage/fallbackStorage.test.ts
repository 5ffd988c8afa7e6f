import { expect, test } from 'vitest'
import { fallbackStorage } from './fallbackStorage.ts'
import { memoryStorage } from './memoryStorage.ts'

test('falls back when reading the storage throws', () => {
  const storage = fallbackStorage(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  storage.setItem('a', '1')
  expect(storage.getItem('a')).toBe('1')
  storage.removeItem('a')
  expect(storage.getItem('a')).toBeNull()
  expect(fallbackStorage(() => null).getItem('a')).toBeNull()
})

test('returns a new value that a full storage refused, not the old one', () => {
  const real = memoryStorage()
  real.setItem('a', 'old')
  let full = true
  const storage = fallbackStorage({
    ...real,
    setItem: (key, value) => {
      if (full) throw new DOMException('full', 'QuotaExceededError')
      real.setItem(key, value)
    },
  })
  storage.setItem('a', 'new')
  expect([storage.getItem('a'), real.getItem('a')]).toEqual(['new', 'old'])
  full = false
  storage.setItem('a', 'newer')
  expect([storage.getItem('a'), real.getItem('a')]).toEqual(['newer', 'newer'])
})
