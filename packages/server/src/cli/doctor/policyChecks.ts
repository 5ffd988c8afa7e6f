import { databaseUrl } from '../../app/openStores.ts'
import { openStore } from '../../platform/database/openStore.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { listAllPolicies } from '../../store/ledger/policies.ts'
import { hasCostLimit } from '../../store/ledger/policyRules.ts'
import { allowMissingTable } from './allowMissingTable.ts'
import { type Check, type Skipped, type Subject, skip } from './checks.ts'

/** Checks the stored gas policies, including those created by operators. Development mode requires no cost limits. */
export function policyChecks({ server, doctor }: Subject): Check[] {
  if (!server.gateway) return []
  if (doctor.isDevelopment) return [skip('gas policies', 'cost limits are checked in production mode only')]
  return [{ name: 'gas policies', run: () => checkPolicies(databaseUrl(server, 'gateway')) }]
}

async function checkPolicies(url: string): Promise<string | Skipped> {
  const store = await openStore({ databaseUrl: url, maxConnections: 1 })
  try {
    const policies = await listAllPolicies(store.db)
    const without = policies.filter(({ rules }) => !hasCostLimit(rules))
    if (without.length === 0) return policies.length === 0 ? 'none: nothing is sponsored' : 'each has a cost limit'
    const names = without.map(({ projectId, id }) => `${id} of ${projectId}`)
    throw configInvalid(
      `${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''} may spend the default cost of a day: set limits.policy.day.cost in wei (docs/operate/sponsorship-costs.md)`,
    )
  } catch (error) {
    return allowMissingTable(error)
  } finally {
    await store.close()
  }
}
