import type { ConfirmationAction, IntentAct, IntentPayload } from 'latchkey-protocol'
import type { ActivityExecution, ConfirmationSubject } from '../../definitions.ts'
import type { CustodyContext } from '../../deps.ts'
import { readSigningRules } from '../../organizations/trustedProjects.ts'
import { describeActs } from './describeActs.ts'
import type { ReadPayload } from './readPayload.ts'
import { hashIntent, type Judgement, judgePayloads } from './signingRules.ts'

type Signing = { signWith: string }

/** Digests to sign, and what the project's rules say of their content. */
export type JudgedSigning = Partial<Judgement> & { digests: readonly Uint8Array[] }

/**
 * Creates a function that reads what a request signs and judges it by the project's rules. It reads a request once: the
 * check for a confirmation and the signature share the result. Wallets of a parent organization are its operator's, and
 * no rule binds them.
 */
export function createSigningJudge<parameters extends Signing>(
  read: (execution: Pick<ActivityExecution<parameters>, 'caller' | 'parameters'>) => Promise<ReadPayload[]>,
): (context: CustodyContext, execution: ActivityExecution<parameters>) => Promise<JudgedSigning> {
  const known = new WeakMap<object, Promise<JudgedSigning>>()
  async function judge(context: CustodyContext, execution: ActivityExecution<parameters>): Promise<JudgedSigning> {
    const { organization, caller, parameters } = execution
    const payloads = await read(execution)
    const digests = payloads.map(({ digest }) => digest)
    if (organization.parentId === null) return { digests }
    const rules = readSigningRules(context, caller.rootOrgId)
    const from = await findSender(execution, parameters.signWith, payloads)
    const contents = payloads.map(({ content }) => ({ content: withSender(content, from) }))
    return { digests, ...judgePayloads(rules, contents) }
  }
  return (context, execution) => {
    const { parameters } = execution
    const judging = known.get(parameters) ?? judge(context, execution)
    known.set(parameters, judging)
    return judging
  }
}

function withSender(content: IntentPayload, from: string): IntentPayload {
  return content.kind === 'transaction' ? { ...content, from } : content
}

/** Returns the address of the key: what a transaction does depends on whether it calls its own sender. */
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

/** Returns what the person reviews outside the page; undefined if custody may sign at once. */
export function toReview({ intent, reviewed = [] }: JudgedSigning): ConfirmationSubject | undefined {
  const [first] = reviewed
  if (!first || !intent || !('acts' in intent)) return undefined
  return {
    action: toAction(first),
    acts: describeActs(intent.acts, reviewed),
    intentHash: hashIntent(intent),
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

const toAction = ({ kind }: IntentAct): ConfirmationAction => actions[kind] ?? 'sign'
