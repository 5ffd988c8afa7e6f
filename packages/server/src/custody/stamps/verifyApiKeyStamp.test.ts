import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hashMessage } from 'viem'
import { expect, test } from 'vitest'
import { verifyApiKeyStamp } from './verifyApiKeyStamp.ts'

const key = {
  publicKey: '02fe206c1f884781d6870849133eabc5650042caed26755674898c7d599dd127f9',
  privateKey: '0d208bce351c0be80a33dc25e1602e95d64a89f636b8a93b5b8cc62f0812ad69',
}
const body = '{"organizationId":"11111111-2222-4333-8444-555555555555"}'
const header =
  'eyJwdWJsaWNLZXkiOiIwMmZlMjA2YzFmODg0NzgxZDY4NzA4NDkxMzNlYWJjNTY1MDA0MmNhZWQyNjc1NTY3NDg5OGM3ZDU5OWRkMTI3ZjkiLCJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX1RLX0FQSV9QMjU2Iiwic2lnbmF0dXJlIjoiMzA0NTAyMjEwMGYzZWRkMjQwMjBiZmU2MDBkN2FmYzMyM2E4NGRhYTM4NzNkODZlMTdjYzI4NzE2YmU5MjFkY2E4ZGIwYjA5YTcwMjIwNmE4NjFlOTM5NjI0ZGU2MjEzMGJkMjU0NDE5NTg3YTI2NzZlMzNkYmVlNDllOGJjNWVkYWU4NTVkNjFlNTBjMSJ9'
/** The stamp of a mailed session key, with a high s. */
const highHeader =
  'eyJwdWJsaWNLZXkiOiIwMzI3MWI5MmNjNWQ5YzI1NTczNGUzZmM5NWU5OWRlMzliYzljZjgxOTMwZmE0YWNiNGRmMjY3ZTkzYjU0N2UzZTQiLCJzY2hlbWUiOiJTSUdOQVRVUkVfU0NIRU1FX1RLX0FQSV9QMjU2Iiwic2lnbmF0dXJlIjoiMzA0NjAyMjEwMGRhYTE4YWU3ODAyZTJhMTQxMTQyNzRlM2VlMTRiZGRkNDYxMTMzZGZiNWQ5NGRlNmZhMTYwNTA0MmY0Y2IzNWIwMjIxMDA4MzY3OWJlM2JmYjNjYmFjMmRlMzMyYzVkNTQ1NjI4ZTI2YjUxZjVkYjkwOGQ2YzM3NzMwZDZjMjEwMDFmYzVlIn0'

const bytes = (text: string) => new TextEncoder().encode(text)
const decoded = () => JSON.parse(Buffer.from(header, 'base64url').toString('utf8'))
const encode = (value: unknown) => Buffer.from(JSON.stringify(value), 'utf8').toString('base64url')
const verify = (stamp: unknown, text = body) => verifyApiKeyStamp(encode(stamp), bytes(text))

test('reads a published stamp', () => {
  expect(verifyApiKeyStamp(header, bytes(body))).toEqual({
    curve: 'p256',
    publicKey: key.publicKey,
    scheme: 'SIGNATURE_SCHEME_TK_API_P256',
    signature: decoded().signature,
  })
})

test('accepts high and low s', () => {
  const signature = Buffer.from(JSON.parse(Buffer.from(highHeader, 'base64url').toString('utf8')).signature, 'hex')
  expect(p256.Signature.fromBytes(signature, 'der').hasHighS()).toBe(true)
  expect(verifyApiKeyStamp(highHeader, bytes(body)).publicKey).toMatch(/^03271b92/)

  const { r, s } = p256.Signature.fromHex(decoded().signature, 'der')
  const flipped = new p256.Signature(r, p256.Point.Fn.ORDER - s).toHex('der')
  expect(verify({ ...decoded(), signature: flipped }).publicKey).toBe(key.publicKey)
})

test('accepts secp256k1 over SHA-256 and EIP-191 hashes with high and low s', () => {
  const privateKey = secp256k1.utils.randomSecretKey()
  const publicKey = Buffer.from(secp256k1.getPublicKey(privateKey, true)).toString('hex')
  const sha256 = createHash('sha256').update(body).digest()
  for (const [scheme, digest] of [
    ['SIGNATURE_SCHEME_TK_API_SECP256K1', sha256],
    ['SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191', hashMessage(body, 'bytes')],
  ] as const) {
    const low = secp256k1.Signature.fromBytes(secp256k1.sign(digest, privateKey, { prehash: false }))
    const high = new secp256k1.Signature(low.r, secp256k1.Point.Fn.ORDER - low.s)
    for (const signature of [low.toHex('der'), high.toHex('der')])
      expect(verify({ publicKey, scheme, signature })).toMatchObject({ curve: 'secp256k1', publicKey })
    const stamp = { publicKey, scheme, signature: low.toHex('der') }
    expect(() => verify(stamp, `${body} `)).toThrow('does not belong')
    // No point on secp256k1 has x = 5.
    expect(() => verify({ ...stamp, publicKey: `02${'05'.padStart(64, '0')}` })).toThrow('not a point of secp256k1')
    expect(() => verify({ ...stamp, scheme: 'SIGNATURE_SCHEME_TK_API_P256' })).toThrow(/P-256|does not belong/)
  }
})

test('refuses another body or key', () => {
  for (const other of [`${body} `, body.replace('1', '2'), '', body.replace('"', "'")])
    expect(() => verifyApiKeyStamp(header, bytes(other))).toThrow('does not belong to this request body')
  const other = Buffer.from(p256.getPublicKey(p256.utils.randomSecretKey(), true)).toString('hex')
  expect(() => verify({ ...decoded(), publicKey: other })).toThrow('does not belong to this request body')
})

test('refuses inexact encodings', () => {
  const { publicKey, signature } = decoded()
  const trailing = `3046${signature.slice(4)}00`
  const cases: [object, string][] = [
    [{ ...decoded(), scheme: 'SIGNATURE_SCHEME_TK_API_ED25519' }, 'scheme is not supported'],
    [{ ...decoded(), publicKey: publicKey.slice(2) }, 'not a compressed point'],
    [{ ...decoded(), publicKey: `04${publicKey.slice(2)}` }, 'not a compressed point'],
    [{ ...decoded(), publicKey: `02${'ff'.repeat(32)}` }, 'not a point of P-256'],
    [{ ...decoded(), signature: trailing }, 'not hex of a DER signature'],
    [{ ...decoded(), signature: `${signature}00` }, 'not hex of a DER signature'],
    [{ ...decoded(), signature: 'xyz' }, 'not hex of a DER signature'],
    [{ ...decoded(), signature: '' }, 'not hex of a DER signature'],
    [{ publicKey, signature }, 'must hold the strings'],
    [{ ...decoded(), signature: 5 }, 'must hold the strings'],
    [[], 'must hold the strings'],
  ]
  for (const [stamp, message] of cases) expect(() => verify(stamp), message).toThrow(message)
})

test('refuses a header that is not base64url of JSON', () => {
  const cases: [string, string][] = [
    ['', 'not base64url'],
    ['a b', 'not base64url'],
    ['{"publicKey":""}', 'not base64url'],
    ['a'.repeat(4097), 'longer than'],
    [Buffer.from('no json').toString('base64url'), 'not base64url of JSON'],
    [Buffer.from([0xff, 0xfe]).toString('base64url'), 'not base64url of JSON'],
    [encode(null), 'must hold the strings'],
  ]
  for (const [value, message] of cases) expect(() => verifyApiKeyStamp(value, bytes(body)), value).toThrow(message)
})
