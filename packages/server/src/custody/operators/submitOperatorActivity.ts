import { randomUUID } from 'node:crypto'
import { headers, type OperatorActivityRequest, type OperatorActivityResponse } from 'latchkey-protocol'
import { operatorRoles } from 'latchkey-protocol/admin'
import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import { parseJson, validate } from '../../platform/http/requestBody.ts'
import { findActivityEvent } from '../../platform/observability/securityEvents.ts'
import { findPasskeyOperator, type PasskeyOperator } from '../../webauthn/findPasskeyOperator.ts'
import { readWebauthnStamp, webauthnChallenge } from '../../webauthn/webauthnStamp.ts'
import { assertFresh, assertType, type Envelope, fingerprint, parseEnvelope } from '../activities/envelope.ts'
import { toNote } from '../activities/recordActivity.ts'
import { findStored, type StoredActivity, toActivityRow } from '../activities/storedActivity.ts'
import { appendLog } from '../audit/appendLog.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { inNotedTransaction } from '../inNotedTransaction.ts'
import { isTrusted } from '../macs.ts'
import { type OperatorAction, operatorActions } from './actions.ts'

const requestSchema = z.strictObject({
  body: z.string().max(4_096),
  stamps: z.array(z.string()).min(1).max(2),
}) satisfies z.ZodType<OperatorActivityRequest>

type Approval = { operator: PasskeyOperator; publicKey: string; stamp: string }

/**
 * Executes a request that operators stamped with their own passkeys. Each request runs once: the same bytes return the
 * same result. Custody trusts only the configured operators, and no parent key, user or other server role.
 *
 * @throws `REQUEST_INVALID`, `SIGNATURE_INVALID`, `CREDENTIAL_NOT_FOUND`, `REQUEST_NOT_AUTHORIZED`,
 * `ORGANIZATION_NOT_FOUND`, `STATE_CONFLICT`.
 */
export async function submitOperatorActivity(
  context: CustodyContext,
  { body: sent, requestId }: { body: Uint8Array; requestId: string | undefined },
): Promise<OperatorActivityResponse> {
  const { body: text, stamps } = validate(requestSchema, parseJson(sent))
  const body = new TextEncoder().encode(text)
  const approvals = stamps.map((stamp) => findApproval(context, body, stamp))
  const envelope = parseEnvelope(parseJson(body))
  const action = assertType(envelope, operatorActions)
  assertAge(context, envelope, action)
  const first = assertOperators(action, approvals)
  const parameters = validate(action.parameters, envelope.parameters, 'activity')
  return inNotedTransaction(context, requestId, async (db, noting) => {
    const organization = await lockOrganization(noting, db, envelope.organizationId)
    const identity = { org_id: organization.id, fingerprint: fingerprint(body) }
    const stored = await findStored(noting, db, identity)
    if (stored) return toResponse(stored)
    const row = toRow(noting, { identity, envelope, action, approvals, operatorId: first.operator.id })
    await db.insertInto('activities').values(toActivityRow(noting, row)).execute()
    const execution = { db, activityId: row.id, organization, operatorId: first.operator.id, parameters }
    await action.run(noting, execution)
    const event = findActivityEvent(row.type)
    noting.countActivity(row.type)
    if (event) noting.note({ event, ...toNote(row) })
    const { id: activity_id, org_id, user_id, credential_id, type, status, created_at: logged_at } = row
    const what = { org_id, activity_id, user_id, credential_id, type, status, body, logged_at }
    await appendLog(noting, db, { ...what, credential_public_key: first.publicKey, stamp: first.stamp })
    return toResponse(row)
  })
}

function findApproval({ console }: CustodyContext, body: Uint8Array, header: string): Approval {
  if (!console) throw custodyError('METHOD_NOT_SUPPORTED', 'This server has no console, and so no operators.')
  const assertion = readWebauthnStamp(header)
  const operator = findPasskeyOperator({
    assertion,
    challenge: webauthnChallenge(body),
    operators: console.operators ?? [],
    consoleUrl: console.url,
  })
  const publicKey =
    operator.passkeys.find(({ credentialId }) => credentialId === assertion.credentialId)?.publicKey ?? ''
  return { operator, publicKey, stamp: `${headers.webauthnStamp}: ${header}` }
}

function assertAge(context: CustodyContext, envelope: Envelope, { maxAgeMs }: OperatorAction): void {
  const past = maxAgeMs ?? context.allowedSkewMs.past
  assertFresh({ ...context, allowedSkewMs: { ...context.allowedSkewMs, past } }, envelope)
}

/** Checks the number of distinct operators and their role. Returns the first. */
function assertOperators({ role, operators: needed }: OperatorAction, approvals: readonly Approval[]): Approval {
  const [first] = approvals
  const ids = new Set(approvals.map(({ operator }) => operator.id))
  if (!first || ids.size < needed || approvals.length > needed)
    throw custodyError(
      'REQUEST_NOT_AUTHORIZED',
      needed === 1 ? 'One operator asks for this.' : 'Two different operators must have stamped this.',
    )
  const low = approvals.find(({ operator }) => operatorRoles.indexOf(operator.role) < operatorRoles.indexOf(role))
  if (low)
    throw custodyError(
      'REQUEST_NOT_AUTHORIZED',
      `This needs the role ${role}; ${low.operator.name} is ${low.operator.role}.`,
    )
  return first
}

/** Locks a user's account. Refuses a parent's own organization, which the configuration defines. */
async function lockOrganization(context: CustodyContext, db: Db, id: string) {
  const row = z.uuid().safeParse(id).success
    ? await db.selectFrom('organizations').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
    : undefined
  if (!row?.parent_id || row.destroyed_at || !isTrusted(context, 'organizations', row))
    throw custodyError('ORGANIZATION_NOT_FOUND', `no organization found with ID ${id.toLowerCase()}`)
  return row
}

type Recorded = Pick<StoredActivity, 'org_id' | 'fingerprint'>
type RowParts = {
  identity: Recorded
  envelope: Envelope
  action: OperatorAction
  approvals: readonly Approval[]
  operatorId: string
}

const nullId = '00000000-0000-0000-0000-000000000000'

/** Returns an operator's completed activity. Ids of operators and users are distinct. */
function toRow(
  { now }: CustodyContext,
  { identity, envelope, action, approvals, operatorId }: RowParts,
): StoredActivity {
  const at = new Date(now())
  const operators = approvals.map(({ operator: { id, name }, stamp }) => ({ id, name, stamp }))
  return {
    id: randomUUID(),
    ...identity,
    type: action.recordedType ?? envelope.type,
    status: 'ACTIVITY_STATUS_COMPLETED',
    intent: { operatorIntent: { ...envelope.parameters, operators } },
    result: {},
    failure: null,
    result_expires_at: null,
    threshold: 1,
    user_id: operatorId,
    credential_id: nullId,
    created_at: at,
    updated_at: at,
  }
}

function toResponse({ id, org_id, created_at }: StoredActivity): OperatorActivityResponse {
  return { activityId: id, organizationId: org_id, doneAt: created_at.toISOString() }
}
