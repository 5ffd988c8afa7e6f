import { FrameError } from '../FrameError.ts'
import { bundleAad, hpkeInfoBytes, hpkeSuite } from './hpkeSuite.ts'

export declare namespace openSealed {
  type Parameters = {
    /** Ephemeral key of the sealing side: uncompressed P-256 point, 65 bytes. */
    enc: Uint8Array
    ciphertext: Uint8Array
    embeddedKey: CryptoKeyPair
  }
  type ReturnType = Uint8Array
}

/** Opens one HPKE message (RFC 9180, base mode) sealed to the frame's key; both public keys are its additional data. */
export async function openSealed(parameters: openSealed.Parameters): Promise<openSealed.ReturnType> {
  const { enc, ciphertext, embeddedKey } = parameters
  try {
    const recipient = new Uint8Array(await crypto.subtle.exportKey('raw', embeddedKey.publicKey))
    const context = await hpkeSuite.createRecipientContext({
      // The pair, because a private key that cannot be exported does not tell its public half.
      recipientKey: embeddedKey,
      enc: enc.slice().buffer,
      info: hpkeInfoBytes.buffer,
    })
    return new Uint8Array(await context.open(ciphertext.slice().buffer, bundleAad(enc, recipient).buffer))
  } catch (cause) {
    throw new FrameError('unable to decrypt bundle using embedded key: it was made for another browser or is damaged', {
      cause,
    })
  }
}
