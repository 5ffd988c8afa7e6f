import { z } from 'zod'
import { parseJson, validate } from '../../../platform/http/requestBody.ts'
import { envelopeSchema } from '../../activities/envelope.ts'
import { type Caller, findCaller } from '../../credentials/findCaller.ts'
import { custodyError } from '../../custodyError.ts'
import { wordMs } from '../../custodyLimits.ts'
import { idSchema } from '../../custodySchemas.ts'
import {
  type ActivityAuthentication,
  type ActivityDefinition,
  type ActivityExecution,
  defineActivity,
} from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { listFactors } from '../../factors/multiFactors.ts'
import { factorCodeSchema } from '../../factors/requireFactor.ts'
import { assertInScope, assertOwnSubOrganization } from '../../permissions.ts'
import { verifyStamp } from '../../stamps/verifyStamp.ts'
import { assertStepUp } from '../../stepUp.ts'
import { activateMultiFactor, createMultiFactor, deleteMultiFactors } from './multiFactors.ts'

const parametersSchema = z.strictObject({
  stampedRequest: z.strictObject({
    body: z.string().min(2).max(4096),
    stamp: z.strictObject({ stampHeaderName: z.string().max(64), stampHeaderValue: z.string().max(8192) }),
  }),
  multiFactorType: z.string().max(16).optional(),
  multiFactorId: idSchema.optional(),
  multiFactorCode: factorCodeSchema.optional(),
  multiFactorIds: z.array(idSchema).optional(),
})
type Parameters = z.output<typeof parametersSchema>

/** Request that published clients stamp: `sign_raw_payload` of a word that is no hex, so that no key ever signs it. */
const wordSchema = z.object({ encoding: z.literal('PAYLOAD_ENCODING_HEXADECIMAL'), payload: z.string() })

/** Lists the factors of the user who stamped the word `list_mfas`. */
export const listMultiFactorsByWord = defineActivity<Parameters>({
  types: toTypes('LIST_MULTI_FACTORS'),
  parameters: parametersSchema,
  authenticate: (context, request) => findWordCaller(context, request, 'list_mfas'),
  authorize() {},
  quorum: false,
  async execute(context, { db, caller: { userId }, organization: { id: orgId } }) {
    return { multiFactors: await listFactors(context, db, { orgId, userId }) }
  },
})

/**
 * The changes of second factors as published clients ask for them. The signer API forwards the stamped word. The word
 * says neither factor nor code, but a change waits for the same confirmation by email.
 */
export const createMultiFactorByWord = byWord('add_mfa', 'CREATE_MULTI_FACTOR', createMultiFactor)
export const activateMultiFactorByWord = byWord('verify_mfa', 'ACTIVATE_MULTI_FACTOR', activateMultiFactor)
export const deleteMultiFactorsByWord = byWord('delete_mfas', 'DELETE_MULTI_FACTORS', deleteMultiFactors)

function byWord(word: string, name: string, change: ActivityDefinition): ActivityDefinition {
  const { confirmation, verify } = change
  const translate = <request extends Pick<ActivityExecution<Parameters>, 'caller' | 'parameters'>>(
    request: request,
  ) => {
    const { stampedRequest: _, ...given } = request.parameters
    return {
      ...request,
      parameters: validate(change.parameters, { userId: request.caller.userId, ...given }, 'activity'),
    }
  }
  return defineActivity<Parameters>({
    ...change,
    types: toTypes(name),
    parameters: parametersSchema,
    authenticate: (context, request) => findWordCaller(context, request, word),
    ...(confirmation && { confirmation: (context, request) => confirmation(context, translate(request)) }),
    ...(verify && { verify: (context, request) => verify(context, translate(request)) }),
    execute: (context, request) => change.execute(context, translate(request)),
  })
}

function toTypes(name: string): ActivityDefinition['types'] {
  const key = name.toLowerCase().replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase())
  return { [`ACTIVITY_TYPE_${name}_BY_WORD`]: { intent: `${key}ByWordIntent`, result: `${key}ByWordResult` } }
}

/**
 * Returns the user who stamped a word, shortly before `at`.
 *
 * @throws `REQUEST_INVALID`, `REQUEST_NOT_AUTHORIZED`, and the errors of `findCaller`.
 */
async function findWordCaller(
  context: CustodyContext,
  { organization, parameters: { stampedRequest }, at }: ActivityAuthentication<Parameters>,
  word: string,
): Promise<Caller> {
  const { body, stamp } = stampedRequest
  const bytes = new TextEncoder().encode(body)
  const verified = verifyStamp(new Headers({ [stamp.stampHeaderName]: stamp.stampHeaderValue }), bytes)
  const { type, timestampMs, organizationId, parameters } = validate(envelopeSchema, parseJson(bytes), 'activity')
  const isWord =
    type.startsWith('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD') && wordSchema.safeParse(parameters).data?.payload === word
  if (!isWord || organizationId.toLowerCase() !== organization.id)
    throw custodyError('REQUEST_INVALID', `Stamp sign_raw_payload of "${word}" in the user's organization.`)
  if (Math.abs(at.getTime() - Number(timestampMs)) > wordMs)
    throw custodyError('REQUEST_INVALID', 'The stamp is too old, or the clock of this device is wrong. Stamp it again.')
  const caller = await findCaller(context, { stamp: verified, organization, at })
  assertOwnSubOrganization(context, caller, organization)
  assertInScope(caller, {})
  if (word !== 'list_mfas') assertStepUp(context, caller)
  return caller
}
