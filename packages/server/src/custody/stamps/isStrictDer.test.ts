import { p256 } from '@noble/curves/nist.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isStrictDer } from './isStrictDer.ts'

const der = (r: string, s: string) => {
  const integer = (hex: string) => `02${(hex.length / 2).toString(16).padStart(2, '0')}${hex}`
  const content = integer(r) + integer(s)
  return Buffer.from(`30${(content.length / 2).toString(16).padStart(2, '0')}${content}`, 'hex')
}

test('default', () => {
  expect(isStrictDer(der('01', '7f'))).toBe(true)
  expect(isStrictDer(der(`00${'ff'.repeat(32)}`, '7f'.repeat(32)))).toBe(true)
})

test('error: integers that are negative, zero, padded or too long', () => {
  for (const integer of ['80', '00', '0001', `7f${'ff'.repeat(32)}`, `00${'ff'.repeat(33)}`, '']) {
    expect(isStrictDer(der(integer, '01')), `r ${integer}`).toBe(false)
    expect(isStrictDer(der('01', integer)), `s ${integer}`).toBe(false)
  }
})

test('error: frames that are cut, long-form or followed by more', () => {
  const good = der('01', '02')
  for (let length = 0; length < good.length; length++) expect(isStrictDer(good.subarray(0, length))).toBe(false)
  expect(isStrictDer(Buffer.concat([good, Buffer.of(0)]))).toBe(false)
  expect(isStrictDer(Buffer.from('308106020101020102', 'hex'))).toBe(false)
  expect(isStrictDer(Buffer.from('31060201010201 02'.replace(' ', ''), 'hex'))).toBe(false)
})

test('behavior: accepts every signature a signer makes, and all that a strict decoder takes', () => {
  const seed = Date.now()
  console.info(`seed ${seed}`)
  const key = p256.utils.randomSecretKey()
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(71), fc.nat(255), (message, at, value) => {
      const signature = p256.sign(message, key, { format: 'der', lowS: false })
      expect(isStrictDer(signature)).toBe(true)
      const changed = Uint8Array.from(signature)
      changed[at % changed.length] = value
      const decoded = decode(changed)
      // The decoder also refuses r and s past the curve's order, which is not a matter of encoding.
      if (decoded !== undefined) {
        expect(isStrictDer(changed)).toBe(true)
        expect(decoded).toBe(Buffer.from(changed).toString('hex'))
      }
    }),
    { seed, numRuns: 200 },
  )
})

function decode(bytes: Uint8Array): string | undefined {
  try {
    return p256.Signature.fromBytes(bytes, 'der').toHex('der')
  } catch {
    return undefined
  }
}
