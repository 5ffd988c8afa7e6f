import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { hpkeInfo } from 'latchkey/wire'
import { FrameError } from './FrameError.ts'

export declare namespace openSealed {
  type Parameters = {
    /** Ephemeral key of the sealing side: uncompressed P-256 point, 65 bytes. */
    enc: Uint8Array
    ciphertext: Uint8Array
    embeddedKey: CryptoKeyPair
  }
  type ReturnType = Uint8Array
}

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

/** Opens one HPKE message (RFC 9180, base mode) sealed to the frame's key; both public keys are its additional data. */
export async function openSealed(parameters: openSealed.Parameters): Promise<openSealed.ReturnType> {
  const { enc, ciphertext, embeddedKey } = parameters
  try {
    const recipient = new Uint8Array(await crypto.subtle.exportKey('raw', embeddedKey.publicKey))
    const aad = new Uint8Array([...enc, ...recipient])
    const context = await suite.createRecipientContext({
      // The pair, because a private key that cannot be exported does not tell its public half.
      recipientKey: embeddedKey,
      enc: enc.slice().buffer,
      info: new TextEncoder().encode(hpkeInfo).buffer,
    })
    return new Uint8Array(await context.open(ciphertext.slice().buffer, aad.buffer))
  } catch (cause) {
    throw new FrameError('unable to decrypt bundle using embedded key: it was made for another browser or is damaged', {
      cause,
    })
  }
}
