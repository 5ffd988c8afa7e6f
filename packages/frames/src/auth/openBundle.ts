import { openSealed } from '../bundles/openSealed.ts'
import { FrameError } from '../FrameError.ts'
import { decodeBundle } from './decodeBundle.ts'
import { reshapePoint } from './p256.ts'

/**
 * Opens a credential bundle with the embedded key and answers the 32-byte private scalar inside. The bundle carries the
 * ephemeral key compressed.
 */
export async function openBundle(bundle: string, embeddedKey: CryptoKeyPair): Promise<Uint8Array> {
  const { enc, ciphertext } = decodeBundle(bundle)
  const opened = await openSealed({ enc: uncompressed(enc), ciphertext, embeddedKey })
  if (opened.length !== 32) throw new FrameError('the bundle does not hold a P-256 key')
  return opened
}

function uncompressed(point: Uint8Array): Uint8Array {
  try {
    return reshapePoint(point, false)
  } catch (cause) {
    throw new FrameError('unable to decrypt bundle using embedded key: it was made for another browser or is damaged', {
      cause,
    })
  }
}
