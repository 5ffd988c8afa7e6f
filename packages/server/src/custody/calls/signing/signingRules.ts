import { createHash } from 'node:crypto'
import { type Intent, type IntentAct, readIntent, type SigningRule, toIntentJson } from 'latchkey-protocol'
import type { TrustedProject } from '../../../store/upsertProject.ts'
import { custodyError } from '../../custodyError.ts'
import type { ReadPayload } from './readPayload.ts'

/** Result of the rules: acts to be reviewed, none if custody may sign at once. */
export type Judgement = { intent: Intent; reviewed: readonly IntentAct[] }

/**
 * Judges what a request signs.
 *
 * @throws `REQUEST_NOT_AUTHORIZED`.
 */
export function judgePayloads(
  rules: TrustedProject['signing'],
  payloads: readonly Pick<ReadPayload, 'content'>[],
): Judgement {
  const acts: IntentAct[] = []
  for (const { content } of payloads) {
    const intent = readIntent(content)
    if ('acts' in intent) acts.push(...intent.acts)
    else if (rules.blind === 'deny') throw blindError(intent.unread)
  }
  for (const act of acts) {
    const rule = toRules(act).find((one) => rules.deny.includes(one))
    if (rule !== undefined)
      throw custodyError('REQUEST_NOT_AUTHORIZED', `This project's rules (signing.deny) don't allow ${rule}.`)
  }
  return {
    intent: { acts },
    reviewed: acts.filter((act) => toRules(act).some((one) => rules.review.includes(one))),
  }
}

/** Returns the rules that an act falls under. */
const toRules = ({ kind, isUnlimited }: IntentAct): SigningRule[] =>
  isUnlimited ? [kind, 'unlimited-approval'] : [kind]

function blindError(why: string) {
  return custodyError(
    'REQUEST_NOT_AUTHORIZED',
    `The key signs only what it can read. ${why} Sign operations with signUserOperation, and messages, typed data and transactions with their own methods; or let the project sign digests (signing.blind: "allow").`,
  )
}

/** Returns the SHA-256 of an intent's canonical JSON, in hex. */
export function hashIntent(intent: Intent): string {
  return createHash('sha256').update(toIntentJson(intent)).digest('hex')
}
