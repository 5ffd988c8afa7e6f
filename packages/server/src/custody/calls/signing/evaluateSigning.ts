import { createHash } from 'node:crypto'
import {
  type ConfirmationAction,
  type IntentAct,
  type IntentPayload,
  readIntent,
  type SigningRule,
  toIntentJson,
} from 'latchkey-protocol'
import type { TrustedProject } from '../../../store/upsertProject.ts'
import { custodyError } from '../../custodyError.ts'
import type { ActivityExecution, ConfirmationSubject } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { readSigningRules } from '../../organizations/trustedProjects.ts'
import { isAccountDelegate } from './accountDelegates.ts'
import { describeActs } from './describeActs.ts'
import type { ReadPayload } from './readPayload.ts'

type Signing = { signWith: string }

/** Digests to sign, and the decision of the project's rules about their content. */
export type EvaluatedSigning = Evaluation & { digests: readonly Uint8Array[] }

/**
 * Creates a function that reads what a request signs and applies the project's rules. Each request is read once: the
 * confirmation check and the signature share the result. No rule binds wallets of a parent organization, which belong
 * to its operator.
 */
export function createSigningEvaluator<parameters extends Signing>(
  read: (execution: Pick<ActivityExecution<parameters>, 'caller' | 'parameters'>) => Promise<ReadPayload[]>,
): (context: CustodyContext, execution: ActivityExecution<parameters>) => Promise<EvaluatedSigning> {
  const known = new WeakMap<object, Promise<EvaluatedSigning>>()
  async function evaluate(
    context: CustodyContext,
    execution: ActivityExecution<parameters>,
  ): Promise<EvaluatedSigning> {
    const { organization, caller, parameters } = execution
    const payloads = await read(execution)
    const digests = payloads.map(({ digest }) => digest)
    if (organization.parentId === null) return { digests, acts: [], reviewed: [] }
    const rules = readSigningRules(context, caller.rootOrgId)
    const from = await findSender(execution, parameters.signWith, payloads)
    const contents = payloads.map(({ content }) => ({ content: withSender(content, from) }))
    return { digests, ...evaluatePayloads(rules, contents) }
  }
  return (context, execution) => {
    const { parameters } = execution
    const evaluating = known.get(parameters) ?? evaluate(context, execution)
    known.set(parameters, evaluating)
    return evaluating
  }
}

function withSender(content: IntentPayload, from: string): IntentPayload {
  return content.kind === 'transaction' ? { ...content, from } : content
}

/** Returns the key's address, since the effect of a transaction depends on whether it calls its own sender. */
async function findSender(
  { db, organization }: Pick<ActivityExecution<unknown>, 'db' | 'organization'>,
  signWith: string,
  payloads: readonly ReadPayload[],
): Promise<string> {
  if (signWith.startsWith('0x') || !payloads.some(({ content }) => content.kind === 'transaction')) return signWith
  const row = await db
    .selectFrom('private_keys')
    .select('address')
    .where('org_id', '=', organization.id)
    .where('id', '=', signWith)
    .executeTakeFirst()
  return row?.address ?? ''
}

/** Returns what the person must review outside the page; undefined if custody may sign at once. */
export function toReview({ acts, reviewed }: EvaluatedSigning): ConfirmationSubject | undefined {
  const [first] = reviewed
  if (!first) return undefined
  return {
    action: actions[first.kind] ?? 'sign',
    acts: describeActs(acts, reviewed),
    intentHash: createHash('sha256').update(toIntentJson({ acts })).digest('hex'),
    isAlwaysAsked: true,
  }
}

const actions: Readonly<Partial<Record<IntentAct['kind'], ConfirmationAction>>> = {
  'owner-change': 'change-owners',
  upgrade: 'change-code',
  delegation: 'change-code',
  'module-change': 'change-modules',
  'session-key': 'change-modules',
  'deferred-action': 'change-modules',
  approval: 'approve-spending',
}

/** The acts of a request, and those under review; none if custody may sign at once. */
type Evaluation = { acts: readonly IntentAct[]; reviewed: readonly IntentAct[] }

/**
 * Applies the rules to what a request signs.
 * @throws `REQUEST_NOT_AUTHORIZED`.
 */
function evaluatePayloads(
  rules: TrustedProject['signing'],
  payloads: readonly Pick<ReadPayload, 'content'>[],
): Evaluation {
  const acts: IntentAct[] = []
  for (const { content } of payloads) {
    if (content.kind === 'authorization' && !isAccountDelegate(content.delegate)) throw delegateError(content.delegate)
    const intent = readIntent(content)
    if ('acts' in intent) acts.push(...intent.acts)
    else if (rules.blind === 'deny') throw blindError(intent.unread)
  }
  for (const act of acts) {
    const rule = toRules(act).find((one) => rules.deny.includes(one))
    if (rule !== undefined)
      throw custodyError('REQUEST_NOT_AUTHORIZED', `This project's rules (signing.deny) don't allow ${rule}.`)
  }
  return { acts, reviewed: acts.filter((act) => toRules(act).some((one) => rules.review.includes(one))) }
}

/** Returns the rules that apply to an act. */
const toRules = ({ kind, isUnlimited }: IntentAct): SigningRule[] =>
  isUnlimited ? [kind, 'unlimited-approval'] : [kind]

function delegateError(delegate: string) {
  return custodyError(
    'REQUEST_NOT_AUTHORIZED',
    `The key delegates to the code of known accounts only, and ${delegate} is none. Use SemiModularAccount7702 or Simple7702Account, or the zero address to end a delegation.`,
  )
}

function blindError(why: string) {
  return custodyError(
    'REQUEST_NOT_AUTHORIZED',
    `The key signs only what it can read. ${why} Sign operations with signUserOperation, and messages, typed data and transactions with their own methods; or let the project sign digests (signing.blind: "allow").`,
  )
}
