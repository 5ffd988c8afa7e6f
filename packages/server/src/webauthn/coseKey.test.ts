import { expect, test } from 'vitest'
import { readCoseKey } from './coseKey.ts'

/** The key comes from a registration in Chromium. */
const point =
  'a50102032620012158206d8bbf12888132654fc3a16a71b3971772edce1344fbf245e8d31bbafb73453622582070acc576f4daf9543eced808da7cf7ed1870030e1d4625b208a9cb54b80f5b1c'
const read = (hex: string) => readCoseKey(new Uint8Array(Buffer.from(hex, 'hex')))

test('reads a P-256 key', () => {
  const { key, algorithm } = read(point) ?? {}
  expect(algorithm).toBe(-7)
  expect(key?.export({ format: 'jwk' })).toEqual({
    kty: 'EC',
    crv: 'P-256',
    x: 'bYu_EoiBMmVPw6FqcbOXF3LtzhNE-_JF6NMbuvtzRTY',
    y: 'cKzFdvTa-VQ-ztgI2nz37RhwAw4dRiWyCKnLVLgPWxw',
  })
})

test.each([
  ['another algorithm', point.replace('0326', '0327')],
  ['another curve', point.replace('2001', '2002')],
  ['a point beside the curve', `${point.slice(0, -2)}1d`],
  ['a short coordinate', point.replace('225820', '22581f').slice(0, -2)],
  ['bytes behind', `${point}00`],
  ['cut', point.slice(0, -2)],
  ['no map', '01'],
  // The keys are RSA keys: one has 1024 bits, one an exponent of one byte.
  ['a small RSA key', `a4010303390100205880${'c5'.repeat(128)}2143010001`],
  ['an RSA exponent of one byte', `a401030339010020590100${'c5'.repeat(256)}214103`],
])('refuses %s', (_name, hex) => {
  expect(read(hex)).toBeUndefined()
})
