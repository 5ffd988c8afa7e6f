import { createHash } from 'node:crypto'
import {
  type ConfirmationAction,
  type Intent,
  type IntentAct,
  type IntentPayload,
  readIntent,
  type SigningRule,
  toIntentJson,
} from 'latchkey-protocol'
import { ServerError } from '../../../platform/errors/ServerError.ts'
import type { TrustedProject } from '../../../store/upsertProject.ts'
import { custodyError } from '../../custodyError.ts'
import type { ActivityExecution, ConfirmationSubject } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { readSigningRules, reviewedByDefault } from '../../organizations/trustedProjects.ts'
import { isAccountDelegate } from './accountDelegates.ts'
import {
  type AppliedRules,
  listCounted,
  type Review,
  recordSpends,
  reviewByLimits,
  reviewByRules,
} from './checkSpending.ts'
import { describeActs } from './describeActs.ts'
import { listSpends, type Spend } from './listSpends.ts'
import type { ReadPayload } from './readPayload.ts'
import { toLoggedIntent } from './toLoggedIntent.ts'

type Signing = { signWith: string }

/** Digests to sign, and the decision of the rules about their content. */
type EvaluatedSigning = {
  digests: readonly Uint8Array[]
  acts: readonly IntentAct[]
  /** Acts that rules submit to review regardless of earlier signatures. */
  reviewed: readonly Review[]
  /** Spending rules of project and user, and the spends that count toward their limits. */
  rules: readonly AppliedRules[]
  spends: readonly Spend[]
}

export declare namespace createSigningEvaluator {
  type ReturnType<parameters> = {
    /** Returns what the signatures cause, for the audit log. */
    readLoggedIntent(execution: ActivityExecution<parameters>): Promise<string>
    /** Returns whether the signature counts toward a limit and thus needs a transaction. */
    isCounted(context: CustodyContext, execution: ActivityExecution<parameters>): Promise<boolean>
    /** Returns what the user must review outside the page; undefined if custody may sign immediately. */
    toReview(
      context: CustodyContext,
      execution: ActivityExecution<parameters>,
    ): Promise<ConfirmationSubject | undefined>
    /** Returns the digests to sign, and records their spends unless the user confirmed them. */
    takeDigests(context: CustodyContext, execution: ActivityExecution<parameters>): Promise<readonly Uint8Array[]>
  }
}

/**
 * Creates functions that read what a request signs and apply the rules of its project and user. Each request is read
 * once: the confirmation check and the signature share the result. Rules do not apply to wallets of a parent
 * organization, which belong to its operator.
 */
export function createSigningEvaluator<parameters extends Signing>(
  readContents: (execution: Pick<ActivityExecution<parameters>, 'caller' | 'parameters'>) => Promise<ReadPayload[]>,
): createSigningEvaluator.ReturnType<parameters> {
  type Execution = ActivityExecution<parameters>
  const readOnce = once(async (execution: Execution): Promise<IntendedPayload[]> => {
    const payloads = await readContents(execution)
    const from = await findSender(execution, execution.parameters.signWith, payloads)
    return payloads.map((payload) => addIntent(payload, from))
  })
  async function evaluate(execution: Execution, context: CustodyContext): Promise<EvaluatedSigning> {
    const { organization, caller } = execution
    const payloads = await readOnce(execution)
    const digests = payloads.map(({ digest }) => digest)
    if (organization.parentId === null) return { digests, acts: [], reviewed: [], rules: [], spends: [] }
    const { scope } = caller
    const project = scope
      ? toScoped(readSigningRules(context, caller.rootOrgId))
      : readSigningRules(context, caller.rootOrgId)
    const rules: AppliedRules[] = [
      ...project.spending,
      ...(organization.spendingRules ? [organization.spendingRules] : []),
      ...(scope ? [{ ...scope, unlisted: 'review', byCredential: caller.credentialId } as const] : []),
    ]
    return { digests, rules, ...evaluatePayloads(project, rules, payloads) }
  }
  const evaluateOnce = once(evaluate)
  return {
    async readLoggedIntent(execution) {
      try {
        return toLoggedIntent((await readOnce(execution)).map(({ intent }) => intent))
      } catch (error) {
        // An activity that waits for votes is logged before it is read, and fails only once it is approved.
        if (error instanceof ServerError && error.code === 'REQUEST_INVALID')
          return toLoggedIntent([{ unread: error.message }])
        throw error
      }
    },
    async isCounted(context, execution) {
      const { rules, spends } = await evaluateOnce(execution, context)
      return listCounted(rules, spends).length > 0
    },
    async toReview(context, execution) {
      const evaluated = await evaluateOnce(execution, context)
      const { db, organization, caller } = execution
      const above = await reviewByLimits(db, { ...evaluated, orgId: organization.id, at: caller.at })
      return toSubject(evaluated.acts, [...evaluated.reviewed, ...above])
    },
    async takeDigests(context, execution) {
      const { digests, rules, spends } = await evaluateOnce(execution, context)
      const { db, organization, caller, isConfirmed = false } = execution
      const counted = isConfirmed ? [] : listCounted(rules, spends)
      await recordSpends(db, {
        orgId: organization.id,
        credentialId: caller.credentialId,
        at: caller.at,
        spends: counted,
      })
      return digests
    },
  }
}

/** Returns the function with its results kept by the request's parameters, since each request is read once. */
function once<execution extends { parameters: object }, more extends unknown[], result>(
  work: (execution: execution, ...more: more) => Promise<result>,
): typeof work {
  const known = new WeakMap<object, Promise<result>>()
  return (execution, ...more) => {
    const working = known.get(execution.parameters) ?? work(execution, ...more)
    known.set(execution.parameters, working)
    return working
  }
}

/** Returns the rules for a scoped API key, which may not sign unreadable content or extend its own rights. */
function toScoped(rules: TrustedProject['signing']): TrustedProject['signing'] {
  return { ...rules, blind: 'deny', review: [...new Set([...rules.review, ...reviewedByDefault, ...reviewedOfKeys])] }
}

/** Reviewed for every scoped key: a message, for example, can sign the user in elsewhere. */
const reviewedOfKeys: readonly SigningRule[] = ['message', 'typed-data', 'deploy']

type IntendedPayload = ReadPayload & { intent: Intent }

function addIntent(payload: ReadPayload, from: string): IntendedPayload {
  const content: IntentPayload = payload.content.kind === 'transaction' ? { ...payload.content, from } : payload.content
  return { ...payload, content, intent: readIntent(content) }
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

function toSubject(acts: readonly IntentAct[], reviewed: readonly Review[]): ConfirmationSubject | undefined {
  const [first] = reviewed
  if (!first) return undefined
  return {
    action: actions[first.act.kind] ?? 'sign',
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
  transfer: 'send',
  'token-transfer': 'send',
}

/**
 * Applies the rules to what a request signs.
 * @throws `REQUEST_NOT_AUTHORIZED`.
 */
function evaluatePayloads(
  rules: TrustedProject['signing'],
  spendingRules: readonly AppliedRules[],
  payloads: readonly IntendedPayload[],
): Pick<EvaluatedSigning, 'acts' | 'reviewed' | 'spends'> {
  const read = payloads.map((payload) => ({ payload, acts: toActs(rules, payload) }))
  const acts = read.flatMap((one) => one.acts)
  for (const act of acts) {
    const rule = toRules(act).find((one) => rules.deny.includes(one))
    if (rule !== undefined)
      throw custodyError('REQUEST_NOT_AUTHORIZED', `This project's rules (signing.deny) don't allow ${rule}.`)
  }
  const spends = spendingRules.length === 0 ? [] : read.flatMap((one) => listSpends(one.payload, one.acts))
  const reviewed = acts.filter((act) => toRules(act).some((one) => rules.review.includes(one)))
  return {
    acts,
    spends,
    reviewed: [...reviewed.map((act) => ({ act })), ...reviewByRules(spendingRules, acts, spends)],
  }
}

function toActs(rules: TrustedProject['signing'], { content, intent }: IntendedPayload): readonly IntentAct[] {
  if (content.kind === 'authorization' && !isAccountDelegate(content.delegate)) throw delegateError(content.delegate)
  if ('acts' in intent) return intent.acts
  if (rules.blind === 'deny') throw blindError(intent.unread)
  return []
}

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
