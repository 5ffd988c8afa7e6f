import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { open, seal } from './seal.ts'

const key = randomBytes(32)
const text = new TextEncoder().encode('hello')
const aad = new TextEncoder().encode('where it lies')

test('opens a sealed text, sealed differently each time', () => {
  const box = seal(key, text, aad)
  expect(box).toHaveLength(1 + 12 + text.length + 16)
  expect(new TextDecoder().decode(open(key, box, aad))).toBe('hello')
  expect(Buffer.from(seal(key, text, aad))).not.toEqual(Buffer.from(box))
  expect(open(key, seal(key, new Uint8Array(), aad), aad)).toHaveLength(0)
})

test('refuses changed, cut and extended boxes, another key and another context', () => {
  const box = seal(key, text, aad)
  for (let at = 0; at < box.length; at++) {
    const changed = Uint8Array.from(box)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => open(key, changed, aad), String(at)).toThrow('cannot be opened')
    expect(() => open(key, box.subarray(0, at), aad)).toThrow('cannot be opened')
  }
  expect(() => open(key, Uint8Array.of(...box, 0), aad)).toThrow('cannot be opened')
  expect(() => open(randomBytes(32), box, aad)).toThrow('cannot be opened')
  expect(() => open(key, box, new Uint8Array())).toThrow('cannot be opened')
})

test('refuses a key of another length', () => {
  expect(() => seal(randomBytes(16), text, aad)).toThrow('must be 32 bytes')
})
