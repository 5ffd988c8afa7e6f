import { p256 } from '@noble/curves/nist.js'
import { openSealed } from './openBundle.ts'

/** Creates an export frame that verifies bundles with a pinned key and decrypts them. */
export function createTestExportFrame(privateKey = p256.utils.randomSecretKey()) {
  return {
    targetPublicKey: Buffer.from(p256.getPublicKey(privateKey, false)).toString('hex'),
    async open(text: string, expected: { signer: string; organizationId: string }): Promise<Uint8Array> {
      const bundle = JSON.parse(text) as Record<string, string>
      if (bundle.version !== 'v1.0.0') throw new TypeError(`version ${bundle.version}`)
      if (bundle.enclaveQuorumPublic !== expected.signer) throw new TypeError('signer')
      const data = Buffer.from(bundle.data ?? '', 'hex')
      const signature = Buffer.from(bundle.dataSignature ?? '', 'hex')
      const publicKey = Buffer.from(expected.signer, 'hex')
      if (!p256.verify(signature, data, publicKey, { format: 'der', lowS: false })) throw new TypeError('signature')
      const { encappedPublic, ciphertext, organizationId } = JSON.parse(data.toString()) as Record<string, string>
      if (organizationId !== expected.organizationId) throw new TypeError('organization')
      return openSealed(
        { enc: Buffer.from(encappedPublic ?? '', 'hex'), ciphertext: Buffer.from(ciphertext ?? '', 'hex') },
        privateKey,
      )
    },
  }
}
