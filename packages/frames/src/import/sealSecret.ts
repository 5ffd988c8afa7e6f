import { hex } from '@scure/base'
import { bundleAad, hpkeInfoBytes, hpkeSuite } from '../bundles/hpkeSuite.ts'
import { FrameError } from '../FrameError.ts'

/**
 * Seals a secret to the key the custody service made for this import (uncompressed P-256 point, 65 bytes) and answers
 * the JSON text of an encrypted bundle. Overwrites the secret.
 */
export async function sealSecret(secret: Uint8Array, targetPublicKey: Uint8Array): Promise<string> {
  try {
    const recipientPublicKey = await hpkeSuite.kem.deserializePublicKey(targetPublicKey.slice().buffer)
    const sender = await hpkeSuite.createSenderContext({ recipientPublicKey, info: hpkeInfoBytes.buffer })
    const enc = new Uint8Array(sender.enc)
    const ciphertext = await sender.seal(secret.slice().buffer, bundleAad(enc, targetPublicKey).buffer)
    return JSON.stringify({ encappedPublic: hex.encode(enc), ciphertext: hex.encode(new Uint8Array(ciphertext)) })
  } catch (cause) {
    throw new FrameError('the import bundle holds a key that nothing can be sealed to', { cause })
  } finally {
    secret.fill(0)
  }
}
