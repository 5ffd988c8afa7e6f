import { configInvalid } from '../http/ServerError.ts'
import { upsertPolicy } from '../store/books/policies.ts'
import type { Db } from '../store/openStore.ts'
import type { GatewayOptions, ProjectOptions } from './options.ts'

export declare namespace declarePolicies {
  type Parameters = Pick<GatewayOptions, 'policies' | 'webhookKey'> & {
    projects: readonly ProjectOptions[] | undefined
  }
}

/**
 * Writes the configured gas policies into the store. The one with the id `default` is its project's default policy, unless
 * it says otherwise.
 *
 * @throws `CONFIG_INVALID`.
 */
export async function declarePolicies(
  db: Db,
  { policies = [], projects = [], webhookKey }: declarePolicies.Parameters,
): Promise<void> {
  for (const { projectId, isDefault, ...policy } of policies) {
    if (policy.rules?.webhook && webhookKey === undefined)
      throw configInvalid(`Gas policy ${policy.id} has a webhook. Give gateway.webhookKey (LATCHKEY_WEBHOOK_KEY).`)
    const owners = projectId === undefined ? projects.map(({ id }) => id) : [projectId]
    if (owners.length === 0)
      throw configInvalid(`Gas policy ${policy.id} belongs to no project. Give its projectId, or \`projects\`.`)
    const marks = { isDefault: isDefault ?? (policy.id === 'default' ? true : undefined) }
    for (const owner of owners) await upsertPolicy(db, { ...policy, ...marks, projectId: owner })
  }
}
