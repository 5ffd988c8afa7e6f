import { setTimeout } from 'node:timers/promises'
import { inTransaction } from '../platform/database/inTransaction.ts'
import type { Db } from '../platform/database/openStore.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { parsePolicyRules, releaseDeclared, upsertPolicy } from '../store/ledger/policies.ts'
import { findProjectById } from '../store/projects.ts'
import type { GatewayOptions, ProjectOptions } from './options.ts'

const lookMs = 200

export declare namespace declarePolicies {
  type Parameters = Pick<GatewayOptions, 'policies' | 'webhookKey'> & {
    projects: readonly ProjectOptions[] | undefined
    /** Milliseconds to wait until custody has written the projects. @default 20000 */
    waitMs?: number | undefined
  }
}

/**
 * Writes the configured gas policies into the store. A policy with the id `default` is its project's default policy,
 * unless configured otherwise.
 *
 * @throws `CONFIG_INVALID`.
 */
export async function declarePolicies(
  db: Db,
  { policies = [], projects = [], webhookKey, waitMs = 20_000 }: declarePolicies.Parameters,
): Promise<void> {
  checkPolicies({ policies, projects, webhookKey })
  const owned = policies.flatMap(({ projectId, isDefault, ...policy }) =>
    listOwners({ projectId, projects }).map((owner) => ({
      ...policy,
      isDefault: isDefault ?? (policy.id === 'default' ? true : undefined),
      projectId: owner,
      isDeclared: true,
    })),
  )
  for (const owner of new Set(owned.map(({ projectId }) => projectId))) await waitForProject(db, owner, waitMs)
  // One transaction writes all policies, so that no operation is sponsored under a partially applied file.
  await inTransaction(db, async (trx) => {
    for (const policy of owned) await upsertPolicy(trx, policy)
    await releasePolicies(trx, { policies, projects })
  })
}

type Declared = Pick<declarePolicies.Parameters, 'policies' | 'webhookKey' | 'projects'>

/**
 * Checks the configured gas policies without the database.
 *
 * @throws `CONFIG_INVALID`.
 */
export function checkPolicies({ policies = [], projects = [], webhookKey }: Declared): void {
  for (const { id, projectId, rules } of policies) {
    parsePolicyRules(rules ?? {}, id)
    if (rules?.webhook && webhookKey === undefined)
      throw configInvalid(`Gas policy ${id} has a webhook. Give gateway.webhookKey (LATCHKEY_WEBHOOK_KEY).`)
    if (listOwners({ projectId, projects }).length === 0)
      throw configInvalid(`Gas policy ${id} belongs to no project. Give its projectId, or \`projects\`.`)
  }
}

function listOwners({ projectId, projects }: { projectId: string | undefined; projects: readonly ProjectOptions[] }) {
  return projectId === undefined ? projects.map(({ id }) => id) : [projectId]
}

/** Policies removed from the file stay in the database. Operators manage them through the admin API. */
async function releasePolicies(
  db: Db,
  { policies = [], projects = [] }: Pick<declarePolicies.Parameters, 'policies' | 'projects'>,
): Promise<void> {
  const ids = projects.map(({ id }) => id)
  for (const owner of new Set([...ids, ...policies.flatMap(({ projectId }) => projectId ?? [])])) {
    const kept = policies.filter(({ projectId = owner }) => projectId === owner).map(({ id }) => id)
    await releaseDeclared(db, { projectId: owner, except: kept })
  }
}

async function waitForProject(db: Db, id: string, waitMs: number): Promise<void> {
  for (let waited = 0; !(await findProjectById(db, id)); waited += lookMs) {
    if (waited >= waitMs)
      throw configInvalid(
        `A gas policy belongs to the project ${JSON.stringify(id)}, which is not in the database. Start custody with it first, or correct projectId.`,
      )
    await setTimeout(lookMs)
  }
}
