import { hexMember } from '../bundles/members.ts'
import { openSealed } from '../bundles/openSealed.ts'
import { openSigned } from '../bundles/openSigned.ts'

export declare namespace openExportBundle {
  type Parameters = Omit<openSigned.Parameters, 'kind'> & { embeddedKey: CryptoKeyPair }
  type ReturnType = Uint8Array
}

/** Opens a secret the custody service signed, and sealed to this frame. */
export async function openExportBundle(parameters: openExportBundle.Parameters): Promise<openExportBundle.ReturnType> {
  const { embeddedKey, ...signed } = parameters
  const data = await openSigned({ ...signed, kind: 'export' })
  return openSealed({
    enc: hexMember(data, 'encappedPublic', 'the export bundle'),
    ciphertext: hexMember(data, 'ciphertext', 'the export bundle'),
    embeddedKey,
  })
}
