import { signExport as sign } from '@latchkey/testkit/signer/sealExport'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { hex } from '@scure/base'
import { expect, test } from 'vitest'
import { openImportBundle } from './openImportBundle.ts'

const { importBundles: vector, exportBundle } = vectors
const { signingKey, organizationId } = exportBundle
const open = (changes: Partial<openImportBundle.Parameters> = {}) =>
  openImportBundle({
    bundle: vector.bundle,
    signingKey: signingKey.publicKey,
    organizationId,
    userId: vector.userId,
    ...changes,
  })
const signed = (changes: Record<string, unknown>, key: string = signingKey.privateKey) =>
  sign(
    Buffer.from(
      JSON.stringify({ targetPublic: vector.target.publicKey, organizationId, userId: vector.userId, ...changes }),
    ),
    key,
  )

test('opens the vector', async () => {
  expect(hex.encode((await open()).target)).toBe(vector.target.publicKey)
  expect(hex.encode((await open({ organizationId: undefined, userId: undefined })).target)).toBe(
    vector.target.publicKey,
  )
})

test.each<[string, Partial<openImportBundle.Parameters>, string]>([
  ['another organization', { organizationId: 'other' }, 'organization id does not match'],
  ['another user', { userId: 'other' }, 'user id does not match'],
  ['no pinned key', { signingKey: null }, 'without the key that signs import bundles'],
  ['a foreign key', { bundle: signed({}, vectors.apiKeyStamp.privateKey) }, 'a key this frame does not know'],
  ['a tampered bundle', { bundle: vector.bundle.replace('7b22', '7b23') }, 'signature of the import bundle is wrong'],
  ['an export bundle', { bundle: exportBundle.bundle }, 'has no userId'],
  ['no user', { bundle: signed({ userId: undefined }) }, 'has no userId'],
  ['no target', { bundle: signed({ targetPublic: undefined }) }, 'has no targetPublic'],
  ['a compressed target', { bundle: signed({ targetPublic: `02${'11'.repeat(32)}` }) }, 'is no P-256 point'],
  ['garbage', { bundle: 'garbage' }, 'is not JSON'],
])('refuses %s', async (_what, changes, message) => {
  await expect(open(changes)).rejects.toThrow(message)
})
