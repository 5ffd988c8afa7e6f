import type { GetSpendingRulesResponse } from 'latchkey-protocol'
import { z } from 'zod'
import { spendingRulesSchema } from '../../../store/spendingRulesSchema.ts'
import { custodyError } from '../../custodyError.ts'
import { defineActivity, defineQuery } from '../../definitions.ts'
import { mac } from '../../macs.ts'
import { assertOwnSubOrganization, assertReader } from '../../permissions.ts'
import { readSpending } from '../signing/checkSpending.ts'
import { describeRules } from '../signing/describeRules.ts'

/**
 * `set_spending_rules`: sets the limits above which custody asks the user before it signs (not in Turnkey). Every
 * change is confirmed outside the page, even a lower limit, since a script in the page could otherwise lock the user
 * out.
 */
export const setSpendingRules = defineActivity({
  types: {
    ACTIVITY_TYPE_SET_SPENDING_RULES: { intent: 'setSpendingRulesIntent', result: 'setSpendingRulesResult' },
  },
  parameters: z.strictObject({ rules: spendingRulesSchema.nullable() }),
  authorize: assertOwnSubOrganization,
  stepUp: true,
  confirmation: (_context, { parameters: { rules } }) => ({
    action: 'change-limits',
    acts: [describeRules(rules)],
    isAlwaysAsked: true,
  }),
  async execute({ macKey }, { db, organization, parameters: { rules } }) {
    const row = await db
      .selectFrom('organizations')
      .selectAll()
      .where('id', '=', organization.id)
      .forUpdate()
      .executeTakeFirst()
    if (!row) throw custodyError('ORGANIZATION_NOT_FOUND', `no organization found with ID ${organization.id}`)
    const spending_rules = rules && JSON.stringify(rules)
    await db
      .updateTable('organizations')
      .set({ spending_rules, mac: mac(macKey, 'organizations', { ...row, spending_rules }) })
      .where('id', '=', organization.id)
      .execute()
    return { rules }
  },
})

/** `get_spending_rules`: returns a user's own rules, and the amounts spent in the last 24 hours (not in Turnkey). */
export const getSpendingRules = defineQuery({
  forScopedKeys: true,
  parameters: z.strictObject({}),
  authorize: assertReader,
  async run({ db }, { organization, caller }): Promise<GetSpendingRulesResponse> {
    const spending = await readSpending(db, { orgId: organization.id, at: caller.at })
    return { rules: organization.spendingRules, spending }
  },
})
