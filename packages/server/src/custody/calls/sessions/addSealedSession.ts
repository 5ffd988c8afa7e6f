import { p256 } from '@noble/curves/nist.js'
import type { Db } from '../../../platform/database/openStore.ts'
import { credentialBundle } from '../../bundles/credentialBundle.ts'
import { addSessionKey } from '../../credentials/addSessionKey.ts'
import type { CustodyContext } from '../../deps.ts'

export declare namespace addSealedSession {
  type Parameters = Omit<addSessionKey.Parameters, 'publicKey'> & {
    /** Key of the frame that opens the bundle: uncompressed P-256 point, hex. */
    targetPublicKey: string
  }
  type ReturnType = addSessionKey.ReturnType & { credentialBundle: string }
}

/**
 * Gives a user a new session key and seals its private half to a frame's key; custody keeps the public half only
 * (custody protocol § 4.3).
 *
 * @throws `CREDENTIAL_CONFLICT`.
 */
export async function addSealedSession(
  context: CustodyContext,
  db: Db,
  { targetPublicKey, ...session }: addSealedSession.Parameters,
): Promise<addSealedSession.ReturnType> {
  const privateKey = p256.utils.randomSecretKey()
  try {
    const publicKey = Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex')
    const added = await addSessionKey(context, db, { ...session, publicKey })
    const target = Buffer.from(targetPublicKey, 'hex')
    return { ...added, credentialBundle: await credentialBundle({ targetPublicKey: target, privateKey }) }
  } finally {
    privateKey.fill(0)
  }
}
