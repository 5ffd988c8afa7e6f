import { randomInt, randomUUID } from 'node:crypto'
import type { Db } from '../../../store/openStore.ts'
import type { CustodyContext } from '../../deps.ts'
import { mac } from '../../macs.ts'

const lifeMs = 10 * 60_000

/**
 * Makes a six-digit code that signs a user in once, for the key of one frame, as long as the session key of the same mail
 * lives but at most ten minutes.
 */
export async function addMailCode(
  context: Pick<CustodyContext, 'macKey' | 'now'>,
  db: Db,
  parameters: addMailCode.Parameters,
): Promise<addMailCode.ReturnType> {
  const { userId, orgId, apiKeyId, expiresAt: sessionEnd, targetPublicKey } = parameters
  const now = context.now()
  const code = randomInt(1_000_000).toString().padStart(6, '0')
  const identity = {
    id: randomUUID(),
    org_id: orgId,
    user_id: userId,
    credential_id: apiKeyId,
    target_public_key: targetPublicKey.toLowerCase(),
    session_seconds: Math.round((sessionEnd.getTime() - now) / 1000),
    expires_at: new Date(Math.min(now + lifeMs, sessionEnd.getTime())),
  }
  await db
    .insertInto('mail_codes')
    .values({
      ...identity,
      code_mac: mac(context.macKey, 'mail_codes', { ...identity, code }),
      created_at: new Date(now),
    })
    .execute()
  return { otpId: identity.id, code, expiresAt: identity.expires_at }
}

export declare namespace addMailCode {
  type Parameters = {
    userId: string
    orgId: string
    /** The session key that the same mail carries, and its end. */
    apiKeyId: string
    expiresAt: Date
    /** Uncompressed P-256 point, hex. */
    targetPublicKey: string
  }
  type ReturnType = { otpId: string; code: string; expiresAt: Date }
}
