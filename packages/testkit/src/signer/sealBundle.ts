import { createECDH } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { credentialBundle } from '../../../server/src/custody/bundles/credentialBundle.ts'

export type Sealed = { bundle: string; base64url: string; publicKey: string }

/** Creates an API key and encrypts it to a frame's key, like custody for an e-mail. `publicKey` is compressed hex. */
export async function sealBundle(targetPublicKey: string, plaintext?: Uint8Array): Promise<Sealed> {
  const credential = createECDH('prime256v1')
  credential.generateKeys()
  const privateKey = plaintext ?? Buffer.from(credential.getPrivateKey('hex').padStart(64, '0'), 'hex')
  const bundle = await credentialBundle({ targetPublicKey: Buffer.from(targetPublicKey, 'hex'), privateKey })
  return {
    bundle,
    base64url: Buffer.from(createBase58check(sha256).decode(bundle)).toString('base64url'),
    publicKey: credential.getPublicKey('hex', 'compressed'),
  }
}

export function strangerPublicKey(): string {
  return createECDH('prime256v1').generateKeys('hex', 'uncompressed')
}
