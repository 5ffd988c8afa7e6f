import {
  type ErrorCode,
  errorCodes,
  type OperatorActivityRequest,
  type OperatorActivityResponse,
  operatorActivitiesPath,
  operatorActivityTypes,
} from 'latchkey-protocol'
import type { AdminActivityOutcome } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { fetchBounded } from '../../platform/http/fetchBounded.ts'
import { parseJson } from '../../platform/http/requestBody.ts'
import { readWebauthnStamp } from '../../webauthn/webauthnStamp.ts'
import { nothing, uuid } from '../adminSchemas.ts'
import { type CallContext, defineWrite, type Route } from '../defineRoute.ts'
import { endOperatorRequest, findOperatorRequest, putOperatorRequest } from '../reads/operatorRequests.ts'

const params = z.strictObject({ organizationId: uuid })
const activity = z.object({ type: z.enum(Object.values(operatorActivityTypes)), organizationId: uuid })
const outcome = z.object({
  state: z.enum(['done', 'waiting']).describe('`waiting` until a second operator stamps the same body.'),
  activityId: z.string().nullable().describe('Id of the activity in the log of custody.'),
}) satisfies z.ZodType<AdminActivityOutcome>

/**
 * Custody's actions for operators, authorized by the operators' own passkeys. The admin API logs and forwards the
 * stamped bytes; it cannot stamp anything itself.
 */
export const userActivityRoutes: readonly Route[] = [
  defineWrite({
    method: 'post',
    path: '/users/{organizationId}/activities',
    role: 'operator',
    name: 'user.activity',
    summary:
      'Forwards an operator activity to custody: ends sessions, removes a credential, freezes, unfreezes, or starts a deletion that a second admin confirms.',
    params,
    query: nothing,
    body: z.strictObject({
      body: z.string().max(4_096).describe('JSON text of the activity, exactly as stamped.'),
      stamp: z.string().max(8_192).describe('X-Stamp-Webauthn of the body, by a passkey of the calling operator.'),
    }),
    response: outcome,
    errors: ['NOT_FOUND', 'STATE_CONFLICT'],
    async run(context, { params: { organizationId }, body: { body, stamp } }) {
      const { type } = readActivity(body, organizationId)
      assertOwnStamp(context, stamp)
      const done =
        type === operatorActivityTypes.deleteAccount
          ? await askForDeletion(context, organizationId, { body, stamp })
          : await askCustody(context, { body, stamps: [stamp] })
      return { body: done, after: { type, ...done } }
    },
  }),
  defineWrite({
    method: 'delete',
    path: '/users/{organizationId}/deletion-request',
    role: 'admin',
    name: 'user.withdrawDeletion',
    summary: 'Withdraws a deletion that waits for a second admin.',
    params,
    query: nothing,
    body: nothing,
    response: z.object({}),
    errors: ['NOT_FOUND'],
    async run({ db }, { params: { organizationId } }) {
      if (await endOperatorRequest(db, organizationId)) return { body: {} }
      throw new ServerError('No deletion of this account waits.', { code: 'NOT_FOUND', status: 404 })
    },
  }),
]

function readActivity(text: string, organizationId: string): z.output<typeof activity> {
  const parsed = activity.safeParse(parseJson(new TextEncoder().encode(text)))
  if (parsed.success && parsed.data.organizationId === organizationId) return parsed.data
  throw new ServerError('`body` must be the JSON text of an activity of operators for this very organization.', {
    code: 'REQUEST_INVALID',
  })
}

/** Checks that the caller made the stamp, so that the admin API's log and custody's log name the same operator. */
function assertOwnStamp({ operator, passkeyOperators }: CallContext, stamp: string): void {
  const { credentialId } = readWebauthnStamp(stamp)
  const own = passkeyOperators.find(({ id }) => id === operator.id)?.passkeys ?? []
  if (own.some((passkey) => passkey.credentialId === credentialId)) return
  throw new ServerError('Stamp this with a passkey of your own: sign in to the console with it.', {
    code: 'ROLE_NOT_ALLOWED',
    status: 403,
  })
}

/** Stores the first admin's request until a second admin stamps the same bytes. */
async function askForDeletion(
  context: CallContext,
  organizationId: string,
  { body, stamp }: { body: string; stamp: string },
): Promise<AdminActivityOutcome> {
  const { db, now, operator } = context
  if (operator.role !== 'admin')
    throw new ServerError('Deletions are started by two admins.', { code: 'ROLE_NOT_ALLOWED', status: 403 })
  const waiting = await findOperatorRequest(db, organizationId, now())
  if (waiting?.body !== body) {
    if (waiting)
      throw new ServerError('A deletion of this account waits already: confirm or withdraw that one.', {
        code: 'STATE_CONFLICT',
        status: 409,
      })
    await putOperatorRequest(db, organizationId, { operatorId: operator.id, body, stamp, createdAt: new Date(now()) })
    return { state: 'waiting', activityId: null }
  }
  if (waiting.operatorId === operator.id)
    throw new ServerError('You asked for this deletion. A second admin confirms it.', {
      code: 'STATE_CONFLICT',
      status: 409,
    })
  const done = await askCustody(context, { body, stamps: [waiting.stamp, stamp] })
  await endOperatorRequest(db, organizationId)
  return done
}

const accepted = z.object({ activityId: z.string() }) satisfies z.ZodType<Pick<OperatorActivityResponse, 'activityId'>>
const refused = z.object({
  message: z.string(),
  details: z.array(z.looseObject({ turnkeyErrorCode: z.string().optional() })).optional(),
})

async function askCustody(
  { custodyUrl }: CallContext,
  request: OperatorActivityRequest,
): Promise<AdminActivityOutcome> {
  if (custodyUrl === undefined)
    throw new ServerError('The admin API does not know custody: set LATCHKEY_CUSTODY_INTERNAL_URL.', {
      code: 'CONFIG_INVALID',
      status: 500,
    })
  const { status, body } = await fetchBounded(custodyUrl.replace(/\/+$/, '') + operatorActivitiesPath, {
    what: 'Custody',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
    maxBytes: 65_536,
  })
  const parsed = parseJson(body)
  if (status === 200) return { state: 'done', activityId: accepted.parse(parsed).activityId }
  const refusal = refused.safeParse(parsed)
  if (!refusal.success || status >= 500)
    throw new ServerError('Custody failed. Nothing is known to be done; look at the account again.', {
      code: 'NETWORK_UNREACHABLE',
      status: 502,
    })
  const code = refusal.data.details?.find(({ turnkeyErrorCode }) => turnkeyErrorCode)?.turnkeyErrorCode
  throw new ServerError(refusal.data.message, { code: toErrorCode(code), status })
}

function toErrorCode(code: string | undefined): ErrorCode {
  return Object.values(errorCodes).find((known) => known === code) ?? 'REQUEST_INVALID'
}
