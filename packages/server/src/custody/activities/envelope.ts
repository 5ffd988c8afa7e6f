import { createHash } from 'node:crypto'
import { z } from 'zod'
import { validate } from '../../platform/http/requestBody.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'

export const envelopeSchema = z.strictObject({
  type: z.string().max(100),
  timestampMs: z.string().regex(/^\d{1,16}$/, 'must be milliseconds since 1970 as a decimal string'),
  organizationId: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  generateAppProofs: z.boolean().optional(),
})

export type Envelope = z.output<typeof envelopeSchema>

/**
 * Parses the envelope of an activity request (custody protocol § 2.3).
 *
 * @throws `REQUEST_INVALID`.
 */
export function parseEnvelope(value: unknown): Envelope {
  return validate(envelopeSchema, value, 'activity')
}

/**
 * Checks that the activity's type belongs to the called path, and returns the path's value for that type.
 *
 * @throws `REQUEST_INVALID`.
 */
export function assertType<value>(envelope: Envelope, types: Readonly<Record<string, value>>): value {
  const known = Object.hasOwn(types, envelope.type) ? types[envelope.type] : undefined
  if (known !== undefined) return known
  throw custodyError(
    'REQUEST_INVALID',
    `The activity type ${JSON.stringify(envelope.type)} does not belong to this path. Use ${Object.keys(types).join(' or ')}.`,
  )
}

/**
 * Checks that the activity was written recently (custody protocol § 2.3, liveness).
 *
 * @throws `REQUEST_INVALID`.
 */
export function assertFresh(context: CustodyContext, envelope: Envelope): void {
  const age = context.now() - Number(envelope.timestampMs)
  const { past, future } = context.allowedSkewMs
  if (age > past)
    throw custodyError('REQUEST_INVALID', 'The activity is too old: timestampMs lies too far in the past.')
  if (age < -future)
    throw custodyError('REQUEST_INVALID', 'timestampMs lies in the future. Check the clock of this device.')
}

/** Returns `sha256:` + hex of SHA-256 over the exact request body (custody protocol § 2.4). */
export function fingerprint(body: Uint8Array): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`
}
