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

const data = Buffer.from(parsed().data ?? '', 'hex')
const bundle = (changes: object) => ({ bundle: JSON.stringify({ ...parsed(), ...changes }) })
const changedAt = (index: number) => {
  const changed = Buffer.from(data)
  changed[index] = (changed[index] ?? 0) ^ 1
  return bundle({ data: changed.toString('hex') })
}
const forged = { ...JSON.parse(signExport(data, otherKey)), enclaveQuorumPublic: vector.signingKey.publicKey }
const { organizationId } = vector
const wrong = 'the signature of the export bundle is wrong'

test.each<[string, Partial<openExportBundle.Parameters>, string]>([
  ['another organization', { organizationId: 'another' }, 'organization id does not match'],
  ['an unknown key', { signingKey: derivePublicKey(otherKey) }, 'a key this frame does not know'],
  ['a valid signature by an unknown key', { bundle: signExport(data, otherKey) }, 'a key this frame does not know'],
  ['a missing pinned key', { signingKey: null }, 'without the key that signs export bundles'],
  ['the pinned key over the signature of another', { bundle: JSON.stringify(forged) }, wrong],
  ['a changed first byte', changedAt(0), wrong],
  ['a changed byte', changedAt(40), wrong],
  ['a changed late byte', changedAt(300), wrong],
  ['text that is not JSON', { bundle: '{' }, 'is not JSON'],
  ['null', { bundle: 'null' }, 'is not a JSON object'],
  ['the old form', { bundle: JSON.stringify({ encappedPublic: '04' }) }, 'unsupported version: undefined'],
  ['another version', bundle({ version: 'v2' }), 'unsupported version: v2'],
  ['missing data', bundle({ data: undefined }), 'has no data'],
  ['a missing signature', bundle({ dataSignature: '' }), 'has no dataSignature'],
  ['a missing key', bundle({ enclaveQuorumPublic: 1 }), 'has no enclaveQuorumPublic'],
  ['data that is not hex', bundle({ data: 'zz' }), 'is not hex'],
  ['a signature that is not DER', bundle({ dataSignature: '3000' }), 'is not DER'],
  ['signed data without an organization', { bundle: signed({ ciphertext: '00' }) }, 'has no organizationId'],
  [
    'signed data without a ciphertext',
    { bundle: signed({ encappedPublic: '04', organizationId }) },
    'has no ciphertext',
  ],
])('refuses %s', async (_, changes, message) => {
  await expect(open(changes)).rejects.toThrow(message)
})

test('refuses a secret sealed to another frame', async () => {
  const embeddedKey = await embeddedKeyPair(otherKey)
  await expect(open({ embeddedKey })).rejects.toThrow('unable to decrypt bundle using embedded key')
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
