import type { PredictableOperation } from 'latchkey-protocol'
import { z } from 'zod'
import type { StoredActivity } from '../activities/storedActivity.ts'
import type { CustodyContext } from '../deps.ts'
import { findOrganization } from '../organizations/organization.ts'
import { trustedProjects } from '../organizations/trustedProjects.ts'
import type { Link } from './links.ts'

/** Maximum number of characters of an operation that the page passes on. */
const maxPayload = 200_000

const hex = z.templateLiteral(['0x', z.string()])
const intentSchema = z.object({
  signRawPayloadIntentV2: z.object({
    encoding: z.literal('PAYLOAD_ENCODING_USER_OPERATION'),
    payload: z.string().max(maxPayload),
  }),
})
const payloadSchema = z.object({
  chainId: z.int(),
  entryPoint: hex,
  operation: z.object({
    sender: hex,
    callData: hex,
    initCode: hex.optional(),
    factory: hex.optional(),
    factoryData: hex.optional(),
  }),
})

/**
 * Returns what the confirmation page needs to have an operation simulated; undefined unless the activity signs exactly
 * one user operation. The API key is the one that the project's own pages contain.
 */
export async function readPrediction(
  context: CustodyContext,
  { row, link }: { row: Pick<StoredActivity, 'intent' | 'org_id'>; link: Pick<Link, 'details'> },
): Promise<PredictableOperation | undefined> {
  const { data: intent } = intentSchema.safeParse(row.intent)
  const { data: payload } = payloadSchema.safeParse(parse(intent?.signRawPayloadIntentV2.payload))
  if (!payload) return undefined
  const { parentId } = await findOrganization(context, row.org_id)
  const projects = parentId === null ? [] : trustedProjects(context, parentId)
  const project = projects.find(({ name }) => name === link.details.app) ?? projects[0]
  return project && { ...payload, apiKey: project.apiKey }
}

function parse(text = 'null'): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
