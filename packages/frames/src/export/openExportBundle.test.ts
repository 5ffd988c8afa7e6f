import { embeddedKeyPair } from '@latchkey/testkit/signer/embeddedKeyPair'
import { derivePublicKey, sealExport, signExport } from '@latchkey/testkit/signer/sealExport'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { describe, expect, test } from 'vitest'
import { openExportBundle, privateKeyText, seedPhraseText } from './openExportBundle.ts'

const { exportBundle: vector } = vectors
const otherKey = vectors.apiKeyStamp.privateKey
const parsed = () => JSON.parse(vector.bundle) as Record<string, string>
const open = async (changes: Partial<openExportBundle.Parameters> = {}) => {
  const { secret } = await openExportBundle({
    bundle: vector.bundle,
    signingKey: vector.signingKey.publicKey,
    organizationId: vector.organizationId,
    embeddedKey: await embeddedKeyPair(vector.target.privateKey),
    ...changes,
  })
  return new TextDecoder().decode(secret)
}
const signed = (data: unknown) => signExport(Buffer.from(JSON.stringify(data)), vector.signingKey.privateKey)

test('opens the vector', async () => {
  expect(await open()).toBe(vector.opensTo)
})

test('accepts the signed organization when none is given', async () => {
  expect(await open({ organizationId: undefined })).toBe(vector.opensTo)
})

test('opens bundles with signatures of any length', async () => {
  const embeddedKey = await embeddedKeyPair(vector.target.privateKey)
  for (let count = 0; count < 40; count++) {
    const bundle = await sealExport({
      targetPublicKey: vector.target.publicKey,
      organizationId: 'org',
      secret: new TextEncoder().encode(`secret ${count}`),
      signingKey: vector.signingKey.privateKey,
    })
    expect(await open({ bundle, organizationId: 'org', embeddedKey })).toBe(`secret ${count}`)
  }
})

test('refuses another organization', async () => {
  await expect(open({ organizationId: '66666666-7777-4888-9999-aaaaaaaaaaaa' })).rejects.toThrow(
    'organization id does not match',
  )
})

test('refuses an unknown key with a valid signature', async () => {
  await expect(open({ signingKey: derivePublicKey(otherKey) })).rejects.toThrow('a key this frame does not know')
  const bundle = signExport(Buffer.from(parsed().data ?? '', 'hex'), otherKey)
  await expect(open({ bundle })).rejects.toThrow('a key this frame does not know')
})

test('refuses to open without a pinned key', async () => {
  await expect(open({ signingKey: null })).rejects.toThrow('without the key that signs export bundles')
})

test('refuses the pinned key over the signature of another', async () => {
  const forged = JSON.parse(signExport(Buffer.from(parsed().data ?? '', 'hex'), otherKey))
  const bundle = JSON.stringify({ ...forged, enclaveQuorumPublic: vector.signingKey.publicKey })
  await expect(open({ bundle })).rejects.toThrow('the signature of the export bundle is wrong')
})

test.each([0, 40, 300])('refuses a changed byte %d of the data', async (at) => {
  const data = Buffer.from(parsed().data ?? '', 'hex')
  data[at] = (data[at] ?? 0) ^ 1
  const bundle = JSON.stringify({ ...parsed(), data: data.toString('hex') })
  await expect(open({ bundle })).rejects.toThrow('the signature of the export bundle is wrong')
})

test('refuses a secret sealed to another frame', async () => {
  await expect(open({ embeddedKey: await embeddedKeyPair(otherKey) })).rejects.toThrow(
    'unable to decrypt bundle using embedded key',
  )
})

test.each([
  ['not JSON', '{', 'is not JSON'],
  ['null', 'null', 'is not a JSON object'],
  ['the old form', JSON.stringify({ encappedPublic: '04', ciphertext: '00' }), 'unsupported version: undefined'],
  ['another version', JSON.stringify({ ...parsed(), version: 'v2' }), 'unsupported version: v2'],
  ['no data', JSON.stringify({ ...parsed(), data: undefined }), 'has no data'],
  ['no signature', JSON.stringify({ ...parsed(), dataSignature: '' }), 'has no dataSignature'],
  ['no key', JSON.stringify({ ...parsed(), enclaveQuorumPublic: 1 }), 'has no enclaveQuorumPublic'],
  ['data that are not hex', JSON.stringify({ ...parsed(), data: 'zz' }), 'is not hex'],
  ['a signature that is not DER', JSON.stringify({ ...parsed(), dataSignature: '3000' }), 'is not DER'],
  ['signed data without an organization', signed({ encappedPublic: '04', ciphertext: '00' }), 'has no organizationId'],
  [
    'signed data without a ciphertext',
    signed({ encappedPublic: '04', organizationId: vector.organizationId }),
    'has no ciphertext',
  ],
])('refuses %s', async (_what, bundle, message) => {
  await expect(open({ bundle })).rejects.toThrow(message)
})

describe('seedPhraseText, privateKeyText', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const phrase = 'test test test test test test test test test test test junk'

  test('return the text of a phrase and a key', () => {
    expect(seedPhraseText(bytes(phrase))).toBe(phrase)
    expect(privateKeyText(new Uint8Array(32).fill(0xab), undefined)).toBe(`0x${'ab'.repeat(32)}`)
    expect(privateKeyText(new Uint8Array(32).fill(0xab), 'HEXADECIMAL')).toBe(`0x${'ab'.repeat(32)}`)
  })

  test('drop the passphrase after a seed phrase', () => {
    expect(seedPhraseText(bytes(`${phrase}\nsecret passphrase`))).toBe(phrase)
  })

  test.each(['', 'one two', `${phrase}  junk`, '\n', 'x'.repeat(32)])('refuse %j as seed phrase', (text) => {
    expect(() => seedPhraseText(bytes(text))).toThrow('holds no seed phrase')
  })

  test('refuse bytes that are not text', () => {
    expect(() => seedPhraseText(new Uint8Array(32).fill(0xff))).toThrow('holds no seed phrase')
  })

  test('refuse a key of another length or format', () => {
    expect(() => privateKeyText(new Uint8Array(31), undefined)).toThrow('holds no private key')
    expect(() => privateKeyText(new Uint8Array(32), 'SOLANA')).toThrow('unsupported key format')
  })
})
