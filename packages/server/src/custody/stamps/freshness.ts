import { createHash } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { sql } from 'kysely'
import type { QueryBinding } from 'latchkey-protocol'
import { z } from 'zod'
import { isDerSignature } from '../../platform/crypto/encodings.ts'
import { namedQuery } from '../../platform/database/namedQuery.ts'
import type { Caller } from '../credentials/findCaller.ts'
import { custodyError } from '../custodyError.ts'
import { boundQueryMs, unboundQueryMs } from '../custodyLimits.ts'
import type { CustodyContext } from '../deps.ts'
import { trustedProjects } from '../organizations/trustedProjects.ts'
import type { verifyStamp } from './verifyStamp.ts'

/** Members of a query's body that bind it to a call and a time. */
export const bindingSchema = z.object({
  path: z.string().max(200).optional(),
  timestampMs: z
    .string()
    .regex(/^\d{1,16}$/, 'must be milliseconds since 1970 as a decimal string')
    .optional(),
})

/**
 * Checks the call and the time in a query's body, since its stamp covers only the body.
 *
 * @throws `REQUEST_INVALID`.
 */
export function assertBinding(
  { now, allowedSkewMs }: Pick<CustodyContext, 'now' | 'allowedSkewMs'>,
  { path, timestampMs }: QueryBinding,
  calledPath: string,
): void {
  if (path !== undefined && path !== calledPath)
    throw custodyError('REQUEST_INVALID', `This request was stamped for ${path}, not for ${calledPath}.`)
  if (timestampMs === undefined) return
  const age = now() - Number(timestampMs)
  if (age > Math.min(allowedSkewMs.past, boundQueryMs))
    throw custodyError('REQUEST_INVALID', 'The query is too old: timestampMs lies too far in the past. Stamp it anew.')
  if (age < -allowedSkewMs.future)
    throw custodyError('REQUEST_INVALID', 'timestampMs lies in the future. Check the clock of this device.')
}

export declare namespace assertNotStale {
  type Parameters = { stamp: verifyStamp.ReturnType; body: Uint8Array; caller: Caller; binding: QueryBinding }
}

/**
 * Accepts a stamp without a timestamp for five minutes after its first use, unless the project accepts such stamps
 * forever. A passkey with a counter needs no check, since each of its assertions is accepted once.
 *
 * @throws `SIGNATURE_INVALID`.
 */
export async function assertNotStale(
  context: CustodyContext,
  { stamp, body, caller, binding }: assertNotStale.Parameters,
): Promise<void> {
  if (binding.timestampMs !== undefined || caller.signCount > 0) return
  if (trustedProjects(context, caller.rootOrgId).some(({ unboundQueries }) => unboundQueries === 'always')) return
  const firstAt = await rememberStamp(context, stampDigest(stamp, body), caller.credentialId)
  if (context.now() - firstAt.getTime() <= unboundQueryMs) return
  throw custodyError(
    'SIGNATURE_INVALID',
    'This stamp was first used more than five minutes ago. Stamp the request anew, with path and timestampMs in its body.',
  )
}

async function rememberStamp({ db, now }: CustodyContext, digest: Uint8Array, credentialId: string): Promise<Date> {
  const at = new Date(now())
  const query = sql<{ first_at: Date }>`with added as (
      insert into query_stamps (digest, credential_id, first_at) values (${digest}, ${credentialId}, ${at})
      on conflict do nothing returning first_at
    ) select first_at from added union all select first_at from query_stamps where digest = ${digest} limit 1`
  const { rows } = await namedQuery(db, 'remember_stamp', query)
  return rows[0]?.first_at ?? at
}

/**
 * Returns a digest that identifies a stamp in any encoding. For ECDSA, the digest covers only r: n - s is as valid as
 * s, and no other signature has the same message and r.
 */
export function stampDigest(stamp: verifyStamp.ReturnType, body: Uint8Array): Uint8Array {
  const signature = Buffer.from(stamp.signature, 'hex')
  const isEcdsa = isDerSignature(signature, stamp.kind === 'api_key' && stamp.curve === 'secp256k1' ? secp256k1 : p256)
  const hash = createHash('sha256').update(createHash('sha256').update(body).digest())
  if (stamp.kind === 'api_key') hash.update(`${stamp.scheme} ${stamp.publicKey}`)
  else {
    const { authenticatorData, clientDataJson, credentialId } = stamp.assertion
    hash.update(createHash('sha256').update(authenticatorData).digest())
    hash.update(createHash('sha256').update(clientDataJson).digest()).update(credentialId)
  }
  return hash.update(isEcdsa ? signature.subarray(4, 4 + (signature[3] ?? 0)) : signature).digest()
}
