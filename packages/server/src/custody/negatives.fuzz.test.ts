import { createHash } from 'node:crypto'
import { p256, p384 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { expect, test } from 'vitest'
import { open, seal } from '../keys/seal.ts'
import { hpkeOpen, hpkeSeal } from './bundles/hpke.ts'
import { compressedKeySchema, uncompressedKeySchema } from './schemas.ts'
import { verifyApiKeyStamp } from './stamps/verifyApiKeyStamp.ts'

/** Inputs made to fool implementations of ECDSA, DER, AES-GCM and ECDH: none of them may pass. */
const body = new TextEncoder().encode('{"organizationId":"11111111-2222-4333-8444-555555555555"}')
const privateKey = createHash('sha256').update('latchkey negatives').digest()
const order = p256.Point.Fn.ORDER
const field = p256.Point.Fp.ORDER

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const bytes32 = (value: bigint) => value.toString(16).padStart(64, '0')
const { r, s } = p256.Signature.fromBytes(p256.sign(body, privateKey))

/** A DER integer: its shortest form. */
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

test('default: the signature itself, and with the other s', () => {
  expect([isAccepted(der(r, s)), isAccepted(der(r, order - s))]).toEqual([true, true])
})

test('error: ECDSA: values out of range, and those that weak verifiers accept', () => {
  const edges = [
    0n,
    1n,
    2n,
    order - 1n,
    order,
    order + 1n,
    field,
    field - 1n,
    field + 1n,
    1n << 255n,
    (1n << 256n) - 1n,
  ]
  for (const first of [...edges, r])
    for (const second of [...edges, s])
      if (first !== r || second !== s) expect(isAccepted(der(first, second)), `${first} ${second}`).toBe(false)
  for (const signature of [der(r + order, s), der(r, s + order), der(s, r), der(order - r, s)])
    expect(isAccepted(signature), signature).toBe(false)
})

test('error: DER: every other way to write the same signature', () => {
  const [first, second] = [integer(r), integer(s)]
  const content = first + second
  const length = (content.length / 2).toString(16)
  const padded = (text: string) =>
    `02${(Number.parseInt(text.slice(2, 4), 16) + 1).toString(16).padStart(2, '0')}00${text.slice(4)}`
  const cases: Record<string, string> = {
    'long form of a short length': `3081${length}${content}`,
    'longer form of a short length': `308200${length}${content}`,
    'indefinite length': `3080${content}0000`,
    'length too large': `30${(content.length / 2 + 1).toString(16)}${content}`,
    'length too small': `30${(content.length / 2 - 1).toString(16)}${content}`,
    'length of 2^32': `3084ffffffff${content}`,
    'bytes behind': `${sequence(content)}00`,
    'bytes behind, inside': sequence(`${content}0500`),
    'third integer': sequence(`${content}020101`),
    'one integer': sequence(first),
    'r padded': sequence(padded(first) + second),
    's padded': sequence(first + padded(second)),
    'r of no bytes': sequence(`0200${second}`),
    's of no bytes': sequence(`${first}0200`),
    'integer in long form': sequence(`0281${first.slice(2)}${second}`),
    'negative r': sequence(`0220${'ff'.repeat(32)}${second}`),
    'bit string for integer': sequence(`03${first.slice(2)}${second}`),
    'octet string for integer': sequence(`04${first.slice(2)}${second}`),
    'set for sequence': `31${sequence(content).slice(2)}`,
    'nested sequence': sequence(sequence(content)),
    'null for an integer': sequence(`0500${second}`),
    'r and s alone': bytes32(r) + bytes32(s),
    empty: '3000',
    nothing: '',
    'one byte': '30',
    'odd digits': sequence(content).slice(1),
    'not hex': sequence(content).replace(/..$/, 'zz'),
    'very long': `30${'02'.repeat(900)}`,
  }
  for (const [name, signature] of Object.entries(cases)) expect(isAccepted(signature), name).toBe(false)
  const whole = sequence(content)
  for (let end = 0; end < whole.length; end += 2) expect(isAccepted(whole.slice(0, end)), `cut at ${end}`).toBe(false)
  for (let bit = 0; bit < whole.length * 4; bit++) {
    const flipped = Buffer.from(whole, 'hex')
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(isAccepted(hex(flipped)), `bit ${bit}`).toBe(false)
  }
})

test('error: public keys that are not points, or are of another curve', () => {
  const signature = der(r, s)
  const keys = [
    `02${bytes32([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n].find((x) => !isOnCurve(x)) ?? 0n)}`,
    `02${bytes32(field)}`,
    `02${bytes32(field + 5n)}`,
    `02${'ff'.repeat(32)}`,
    `00${'00'.repeat(32)}`,
    '00',
    `04${'00'.repeat(64)}`,
    hex(p256.getPublicKey(privateKey, false)),
    `06${hex(p256.getPublicKey(privateKey, false)).slice(2)}`,
    hex(p384.getPublicKey(p384.utils.randomSecretKey(), true)),
  ]
  for (const key of keys) {
    expect(isAccepted(signature, key), key).toBe(false)
    expect(compressedKeySchema.safeParse(key).success, key).toBe(false)
  }
  // The x of the other curve's point may be one of P-256 as well; then only the signature tells.
  expect(isAccepted(signature, hex(secp256k1.getPublicKey(privateKey, true)))).toBe(false)
})

function isOnCurve(x: bigint): boolean {
  try {
    return p256.Point.fromHex(`02${bytes32(x)}`).assertValidity() === undefined
  } catch {
    return false
  }
}

test('error: AES-GCM: each bit of a box, short tags, other places, malformed boxes', () => {
  const key = privateKey
  const aad = new TextEncoder().encode('org|wallet|1')
  const box = seal(key, Uint8Array.of(1, 2, 3, 4), aad)
  expect(hex(open(key, box, aad))).toBe('01020304')
  const refuses = (changed: Uint8Array, place = aad, name = '') =>
    expect(() => open(key, changed, place), name).toThrow('A sealed value cannot be opened')
  for (let bit = 0; bit < box.length * 8; bit++) {
    const flipped = Uint8Array.from(box)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    refuses(flipped, aad, `bit ${bit}`)
  }
  for (let length = 0; length < box.length; length++) refuses(box.subarray(0, length), aad, `length ${length}`)
  refuses(Buffer.concat([box, Buffer.of(0)]))
  for (const place of ['', 'org|wallet|2', 'org|wallet|1 ', 'other|wallet|1'])
    refuses(box, new TextEncoder().encode(place))
  refuses(new Uint8Array(29))
  expect(() => open(key.subarray(1), box, aad)).toThrow('32 bytes')
})

test('error: ECDH: keys that are not points of P-256 are neither sealed to nor opened from', async () => {
  const publicKey = p256.getPublicKey(privateKey, false)
  const plaintext = new TextEncoder().encode('secret')
  const { enc, ciphertext } = await hpkeSeal({ recipientPublicKey: publicKey, plaintext })
  expect(Buffer.from((await hpkeOpen({ enc, ciphertext, privateKey })) ?? []).toString()).toBe('secret')
  const { x, y } = p256.Point.fromHex(hex(publicKey)).toAffine()
  const points = [
    `04${bytes32(x)}${bytes32(y + 1n)}`,
    `04${bytes32(x + field)}${bytes32(y)}`.slice(0, 130),
    `04${bytes32(0n)}${bytes32(0n)}`,
    `04${bytes32(field)}${bytes32(0n)}`,
    `04${'ff'.repeat(64)}`,
    `06${bytes32(x)}${bytes32(y)}`,
    `07${bytes32(x)}${bytes32(y)}`,
    '00',
    '',
    hex(secp256k1.getPublicKey(privateKey, false)),
    hex(p384.getPublicKey(p384.utils.randomSecretKey(), false)),
  ]
  for (const point of points) {
    expect(uncompressedKeySchema.safeParse(point).success, point).toBe(false)
    // A hybrid form is the same point; only the schema stands before it.
    if (!/^0[67]/.test(point))
      await expect(hpkeSeal({ recipientPublicKey: Buffer.from(point, 'hex'), plaintext }), point).rejects.toThrow()
    expect(await hpkeOpen({ enc: Buffer.from(point, 'hex'), ciphertext, privateKey }), point).toBeUndefined()
  }
  for (let bit = 0; bit < ciphertext.length * 8; bit += 3) {
    const flipped = Uint8Array.from(ciphertext)
    flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(await hpkeOpen({ enc, ciphertext: flipped, privateKey }), `bit ${bit}`).toBeUndefined()
  }
})
