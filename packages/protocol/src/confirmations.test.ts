import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { formatKeyFingerprint } from './confirmations.ts'

test('default', () => {
  const point = Buffer.from(`04${'11'.repeat(64)}`, 'hex')
  const digest = createHash('sha256').update(point).digest()
  expect(formatKeyFingerprint(digest).replaceAll(' ', '')).toBe(digest.toString('hex').slice(0, 16))
  expect(formatKeyFingerprint(new Uint8Array([0, 1, 2, 3, 4, 5, 6, 255]))).toBe('0001 0203 0405 06ff')
})
