import { z } from 'zod'
import { validate } from '../../http/validate.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'

const schema = z.strictObject({
  type: z.string().max(100),
  timestampMs: z.string().regex(/^\d{1,16}$/, 'must be milliseconds since 1970 as a decimal string'),
  organizationId: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  generateAppProofs: z.boolean().optional(),
})

export type Envelope = z.output<typeof schema>

/**
 * The envelope of an activity request (custody protocol § 2.3).
 *
 * @throws ServerError `REQUEST_INVALID` (400)
 */
export function parseEnvelope(value: unknown): Envelope {
  return validate(schema, value, 'activity')
}

/**
 * Checks that the activity's type belongs to the called path.
 *
 * @throws ServerError `REQUEST_INVALID` (400)
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
 * @throws ServerError `REQUEST_INVALID` (400)
 */
export function assertFresh(context: CustodyContext, envelope: Envelope): void {
  const age = context.now() - Number(envelope.timestampMs)
  const { past, future } = context.allowedSkewMs
  if (age > past)
    throw custodyError('REQUEST_INVALID', 'The activity is too old: timestampMs lies too far in the past.')
  if (age < -future)
    throw custodyError('REQUEST_INVALID', 'timestampMs lies in the future. Check the clock of this device.')
}
