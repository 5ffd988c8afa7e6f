import { p256 } from '@noble/curves/nist.js'

/** Creates a P-256 API key: compressed public point and private scalar, hex without `0x`. */
export function createApiKeyPair(): { publicKey: string; privateKey: string } {
  const privateKey = p256.utils.randomSecretKey()
  return {
    publicKey: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
    privateKey: Buffer.from(privateKey).toString('hex'),
  }
}
