import { createHash, hkdfSync } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { z } from 'zod'
import { addSessionKey } from '../../credentials/addSessionKey.ts'
import { compressedKeySchema, secondsSchema } from '../../custodySchemas.ts'
import { defineActivity } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { assertSigningIn } from '../../permissions.ts'

/**
 * `stamp_login`: turns a key held by the client into a session of the caller (custody protocol § 2.7). Returns a token
 * that describes the session. Requests still need stamps made with the key. The request may specify the parent
 * organization.
 */
export const stampLogin = defineActivity({
  types: { ACTIVITY_TYPE_STAMP_LOGIN: { intent: 'stampLoginIntent', result: 'stampLoginResult' } },
  parameters: z.strictObject({
    publicKey: compressedKeySchema,
    expirationSeconds: secondsSchema.optional(),
    invalidateExisting: z.boolean().optional(),
  }),
  authorize: assertSigningIn,
  quorum: false,
  // The page knows only the parent organization before the sign-in.
  findsBelow: true,
  confirmation: (_context, { caller, parameters: { publicKey: hex } }) =>
    hex === caller.publicKey ? undefined : { action: 'start-session', publicKeys: [{ hex }], isSignIn: true },
  async execute(context, { db, caller, organization, parameters }) {
    const { publicKey, expirationSeconds, invalidateExisting } = parameters
    const { expiresAt } = await addSessionKey(context, db, {
      userId: caller.userId,
      orgId: organization.id,
      name: `Login - ${new Date(context.now()).toISOString()}`,
      publicKey,
      type: 'CREDENTIAL_TYPE_LOGIN',
      by: caller,
      expirationSeconds,
      invalidateExisting,
    })
    return {
      session: describeSession(context, { publicKey, expiresAt, userId: caller.userId, orgId: organization.id }),
    }
  },
})

export function describeSession(
  context: CustodyContext,
  { publicKey, expiresAt, userId, orgId }: { publicKey: string; expiresAt: Date; userId: string; orgId: string },
): string {
  const claims = {
    exp: Math.floor(expiresAt.getTime() / 1000),
    public_key: publicKey,
    session_type: 'SESSION_TYPE_READ_WRITE',
    user_id: userId,
    organization_id: orgId,
  }
  return signSession(claims, readTokenKey(context))
}

/**
 * Returns the key that signs session tokens: the bundle signing key, or an unpublished key derived from the MAC key.
 */
function readTokenKey({ bundleSigningKey, macKey }: CustodyContext): Uint8Array {
  if (bundleSigningKey) return bundleSigningKey
  return p256.utils.randomSecretKey(new Uint8Array(hkdfSync('sha256', macKey, '', 'latchkey session token', 48)))
}

/**
 * Returns a JWT whose ES256 signature covers the double SHA-256 of header and claims, as published clients verify it.
 */
function signSession(claims: object, signingKey: Uint8Array): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`
  const once = createHash('sha256').update(signed).digest()
  const digest = createHash('sha256').update(once).digest()
  const signature = p256.sign(digest, signingKey, { prehash: false })
  return `${signed}.${Buffer.from(signature).toString('base64url')}`
}
