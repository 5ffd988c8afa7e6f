import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { expect, test } from 'vitest'
import { verifyApiKeyStamp } from './stamps/verifyApiKeyStamp.ts'

/** Inputs that weak implementations of ECDSA and DER wrongly accept. */
const body = new TextEncoder().encode('{"organizationId":"11111111-2222-4333-8444-555555555555"}')
const privateKey = createHash('sha256').update('latchkey negatives').digest()
const order = p256.Point.Fn.ORDER
const field = p256.Point.Fp.ORDER

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const { r, s } = p256.Signature.fromBytes(p256.sign(body, privateKey))

function integer(value: bigint): string {
  const digits = value.toString(16)
  const even = digits.length % 2 ? `0${digits}` : digits
  const content = Number.parseInt(even.slice(0, 2), 16) >= 0x80 ? `00${even}` : even
  return `02${(content.length / 2).toString(16).padStart(2, '0')}${content}`
}
const sequence = (content: string) => `30${(content.length / 2).toString(16).padStart(2, '0')}${content}`
const der = (first: bigint, second: bigint) => sequence(integer(first) + integer(second))

function isAccepted(signature: string, publicKey = hex(p256.getPublicKey(privateKey, true))): boolean {
  const stamp = { publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature }
  try {
    verifyApiKeyStamp(Buffer.from(JSON.stringify(stamp)).toString('base64url'), body)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'SIGNATURE_INVALID', status: 401 })
    return false
  }
}

test('accepts the signature with low and high s', () => {
  expect([isAccepted(der(r, s)), isAccepted(der(r, order - s))]).toEqual([true, true])
})

test('refuses ECDSA values out of range and values that weak verifiers accept', () => {
  const orders = [order - 1n, order, order + 1n, field, field - 1n, field + 1n]
  const edges = [0n, 1n, 2n, ...orders, 1n << 255n, (1n << 256n) - 1n]
  for (const first of [...edges, r])
    for (const second of [...edges, s])
      if (first !== r || second !== s) expect(isAccepted(der(first, second)), `${first} ${second}`).toBe(false)
  for (const signature of [der(r + order, s), der(r, s + order), der(s, r), der(order - r, s)])
    expect(isAccepted(signature), signature).toBe(false)
})
