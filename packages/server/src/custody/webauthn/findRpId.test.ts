import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { findRpId } from './findRpId.ts'

const origins = [
  'http://localhost:4100',
  'https://a.app.example.com',
  'http://127.0.0.1:1',
  'https://[::1]',
  'http://box',
]
const find = (rpId: string) => findRpId(createHash('sha256').update(rpId).digest(), origins)

test('default', () => {
  for (const rpId of ['localhost', 'a.app.example.com', 'app.example.com', 'example.com', 'box'])
    expect(find(rpId)).toBe(rpId)
})

test('error: what is no host of an origin, or above too much', () => {
  for (const rpId of [
    'com',
    'b.app.example.com',
    'xample.com',
    '127.0.0.1',
    '0.0.1',
    '[::1]',
    '::1',
    '',
    'evil.example',
  ])
    expect(find(rpId), rpId).toBeUndefined()
})
