import type { Address, Hex } from 'viem'
import type { Policy } from '../../store/books/policies.ts'
import type { PolicyRules } from '../../store/books/policyRules.ts'
import { decodeCalls } from './decodeCalls.ts'
import { policyRefused } from './refusalErrors.ts'

export declare namespace checkRules {
  type Operation = { sender: Address; callData: Hex; factory: Address | undefined }
  type Parameters = {
    policy: Policy
    chainId: number
    operation: Operation
    /** Milliseconds since the epoch. */
    now: number
  }
}

/**
 * The rules of a policy that an operation can be held against as it is, before anything is estimated.
 *
 * @throws `POLICY_REFUSED`, naming the rule.
 */
export function checkRules({ policy, chainId, operation, now }: checkRules.Parameters): void {
  const { paused, rules } = policy
  const { sender, factory } = operation
  if (paused) throw policyRefused('paused', 'it is paused. Its operator can resume it.')
  if (rules.chains && !rules.chains.includes(chainId)) throw policyRefused('chains', `chain ${chainId} is not listed.`)
  if (rules.validFrom && now < Date.parse(rules.validFrom))
    throw policyRefused('validFrom', `it begins at ${rules.validFrom}.`)
  if (rules.validUntil && now >= Date.parse(rules.validUntil))
    throw policyRefused('validUntil', `it ended at ${rules.validUntil}.`)
  if (rules.senders && !includes(rules.senders, sender))
    throw policyRefused('senders', `the sender ${sender} is not listed.`)
  if (factory && rules.factories && !includes(rules.factories, factory))
    throw policyRefused('factories', `the factory ${factory} is not listed.`)
  if (rules.targets) checkTargets(rules.targets, operation.callData)
}

function checkTargets(targets: NonNullable<PolicyRules['targets']>, callData: Hex): void {
  const calls = decodeCalls(callData)
  if (!calls)
    throw policyRefused(
      'targets',
      'it names contracts that may be called, and the call data has no form that tells them. Use execute or executeBatch.',
    )
  for (const { to, data } of calls) {
    const listed = targets.filter(({ address }) => address === to)
    if (listed.length === 0) throw policyRefused('targets', `calls to ${to} are not listed.`, { target: to })
    const selector = data.slice(0, 10).toLowerCase()
    if (!listed.some(({ selectors }) => !selectors || selectors.some((one) => one === selector)))
      throw policyRefused('targets', `calls of ${selector} on ${to} are not listed.`, { target: to, selector })
  }
}

const includes = (list: readonly Address[], address: Address) => list.includes(address.toLowerCase() as Address)
