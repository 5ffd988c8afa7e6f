import type { SignRawPayloadResult } from 'latchkey/wire'
import type { KeyEncryption } from '../../keys/keyEncryption.ts'
import type { Db } from '../../store/openStore.ts'
import { signDigest } from './signDigest.ts'
import { withAccountKey } from './withAccountKey.ts'

/**
 * Signs a digest with the key of one of an organization's addresses. Entropy and key exist in memory for this call
 * only and are wiped.
 *
 * @throws ServerError `NOT_FOUND` (404) when the organization has no such address | `INTERNAL`
 */
export function signWithAddress(
  db: Db,
  keyEncryption: KeyEncryption,
  parameters: signWithAddress.Parameters,
): Promise<SignRawPayloadResult> {
  return withAccountKey(db, keyEncryption, parameters, (key) => signDigest(parameters.digest, key))
}

export declare namespace signWithAddress {
  type Parameters = { orgId: string; address: string; digest: Uint8Array }
}
