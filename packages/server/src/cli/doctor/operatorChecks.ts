import { directUrl } from '../../app/openStores.ts'
import { parseKey } from '../../platform/crypto/parseKey.ts'
import { openStore } from '../../platform/database/openStore.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { listOperators } from '../../store/operators.ts'
import type { Config } from '../readConfig.ts'
import { allowMissingTable } from './allowMissingTable.ts'
import type { Check, Skipped, Subject } from './checks.ts'

export function operatorChecks({ server }: Subject): Check[] {
  const { admin } = server
  if (!admin) return []
  return [{ name: 'operators', run: () => checkOperators({ databaseUrl: directUrl(server, 'admin'), admin }) }]
}

type Admin = NonNullable<Config['server']['admin']>

/** Checks that the configured key is the one that operators were created with. */
async function checkOperators({
  databaseUrl,
  admin,
}: {
  databaseUrl: string
  admin: Admin
}): Promise<string | Skipped> {
  const key = parseKey(admin.operatorKey, 'LATCHKEY_OPERATOR_KEY')
  const store = await openStore({ databaseUrl, maxConnections: 1 })
  try {
    const operators = await listOperators(store.db, { key })
    const foreign = operators.filter(({ isGenuine }) => !isGenuine)
    if (operators.length === 0) return 'none yet: latchkey-server operators create'
    if (foreign.length === 0) return 'created with the operator key'
    if (foreign.length === operators.length)
      throw configInvalid('no key works: set LATCHKEY_OPERATOR_KEY to the key that created them, or create new ones')
    throw configInvalid(
      `${foreign.length} of ${operators.length} were not created with LATCHKEY_OPERATOR_KEY and are ignored. Find out who else writes to the database: latchkey-server operators list shows them`,
    )
  } catch (error) {
    return allowMissingTable(error)
  } finally {
    await store.close()
  }
}
