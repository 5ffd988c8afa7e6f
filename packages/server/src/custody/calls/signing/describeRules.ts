import type { ConfirmationAct, KeyScope, SpendingRules } from 'latchkey-protocol'
import { getAddress } from 'viem'
import { cleanText } from '../../confirmations/requestConfirmation.ts'
import { formatLimit } from './checkSpending.ts'

/** Describes new spending rules to the user who confirms them. */
export function describeRules(rules: SpendingRules | null): ConfirmationAct {
  if (rules === null) return { label: 'New limits', title: 'No limits: sign transfers without asking', facts: [] }
  const rest = { name: 'Everything else', value: rules.unlisted === 'allow' ? 'Signed without asking' : 'Asks you' }
  return {
    label: 'New limits',
    title: 'Sign without asking up to these limits',
    facts: [...listLimits(rules), rest, describeRecipients(rules)],
  }
}

/** Describes what a new API key may sign to the user who confirms it. */
export function describeScope(name: string, scope: KeyScope): ConfirmationAct {
  return {
    label: `Key “${cleanText(name).slice(0, 60)}”`,
    title: 'May sign for you, without asking, up to these limits',
    facts: [
      ...listLimits(scope),
      { name: 'Contracts', value: scope.contracts.map((one) => getAddress(one)).join(', ') || 'None' },
      describeRecipients(scope),
      { name: 'Everything else', value: 'Asks you' },
    ],
  }
}

function listLimits({ limits }: Pick<SpendingRules, 'limits'>): ConfirmationAct['facts'] {
  return limits.map((limit) => ({
    name: limit.token === 'native' ? `Native currency on chain ${limit.chainId}` : `Token on chain ${limit.chainId}`,
    value: `${limit.token === 'native' ? '' : `${getAddress(limit.token)}: `}up to ${formatLimit(limit)}`,
  }))
}

function describeRecipients({ recipients }: Pick<SpendingRules, 'recipients'>) {
  const value = recipients === null ? 'Anybody' : recipients.map((one) => getAddress(one)).join(', ')
  return { name: 'Recipients', value }
}
