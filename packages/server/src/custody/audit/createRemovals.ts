import { z } from 'zod'
import type { Db } from '../../platform/database/openStore.ts'
import type { StoredActivity } from '../activities/storedActivity.ts'
import type { LogProblem } from './logEntry.ts'

/** Tracks items that activities permanently removed or replaced. Restoring an old row would revive them. */
type Removals = {
  /** Adds a genuine activity, in log order. */
  add(seq: string, activity: Pick<StoredActivity, 'type' | 'status' | 'intent'>): void
  /** Returns the first revived item: an old row that was restored with its old MAC. */
  findRevived(db: Db): Promise<LogProblem | undefined>
}

const idsSchema = z.array(z.string().toLowerCase())
const intentSchema = z.object({
  deleteApiKeysIntent: z.object({ apiKeyIds: idsSchema }).optional(),
  deleteAuthenticatorsIntent: z.object({ authenticatorIds: idsSchema }).optional(),
  updateUserIntent: z.object({ userId: z.string().toLowerCase(), userEmail: z.string().optional() }).optional(),
  deleteSubOrganizationIntent: z.object({}).optional(),
  eraseActivitiesIntent: z.object({ activityIds: z.array(z.string()).optional() }).optional(),
})

/** Collects the items that an organization's activities removed, and finds those that exist again. */
export function createRemovals(organizationId: string): Removals {
  const credentials = new Map<string, string>()
  const emails = new Map<string, { seq: string; email: string }>()
  let deletion: string | undefined
  /** A deleted organization has neither sign-in methods nor addresses, even after its activities are erased. */
  let erasure: string | undefined

  async function findCredential(db: Db): Promise<LogProblem | undefined> {
    if (credentials.size === 0) return undefined
    const rows = await db
      .selectFrom('credentials')
      .select('id')
      .where('org_id', '=', organizationId)
      .where('revoked_at', 'is', null)
      .execute()
    const revived = rows.find(({ id }) => credentials.has(id))
    const seq = revived && credentials.get(revived.id)
    return seq === undefined
      ? undefined
      : { seq, problem: `The credential ${revived?.id}, which it removed, is there again.` }
  }

  async function findAddress(db: Db): Promise<LogProblem | undefined> {
    if (emails.size === 0) return undefined
    const users = await db.selectFrom('users').select(['id', 'email']).where('org_id', '=', organizationId).execute()
    for (const { id, email } of users) {
      const last = emails.get(id)
      // Users lose a claimed address when another user proves it.
      if (!last || email === null || email.toLowerCase() === last.email.trim().toLowerCase()) continue
      return { seq: last.seq, problem: `The user ${id} has another address than the one it set.` }
    }
    return undefined
  }

  async function findOrganization(db: Db): Promise<LogProblem | undefined> {
    if (deletion === undefined) return undefined
    const organization = await db
      .selectFrom('organizations')
      .select('deleted_at')
      .where('id', '=', organizationId)
      .executeTakeFirst()
    if (organization && organization.deleted_at === null)
      return { seq: deletion, problem: 'The organization, which it deleted, is there again.' }
    return undefined
  }

  async function findErased(db: Db): Promise<LogProblem | undefined> {
    return erasure !== undefined && (await isAlive(db, organizationId))
      ? { seq: erasure, problem: 'The organization, which it erased, has a credential or an address again.' }
      : undefined
  }

  return {
    add(seq, { status, intent }) {
      if (status !== 'ACTIVITY_STATUS_COMPLETED') return
      const read = intentSchema.parse(intent)
      const ids = read.deleteApiKeysIntent?.apiKeyIds ?? read.deleteAuthenticatorsIntent?.authenticatorIds ?? []
      for (const id of ids) credentials.set(id, seq)
      const { userId, userEmail } = read.updateUserIntent ?? {}
      if (userId !== undefined && userEmail !== undefined) emails.set(userId, { seq, email: userEmail })
      if (read.deleteSubOrganizationIntent) deletion = seq
      if (read.eraseActivitiesIntent && !read.eraseActivitiesIntent.activityIds) deletion = erasure = seq
    },
    findRevived: async (db) =>
      (await findOrganization(db)) ?? (await findErased(db)) ?? (await findCredential(db)) ?? (await findAddress(db)),
  }
}

async function isAlive(db: Db, organizationId: string): Promise<boolean> {
  const credential = db.selectFrom('credentials').select('id').where('org_id', '=', organizationId)
  const user = db.selectFrom('users').select('id').where('org_id', '=', organizationId)
  return (
    (await credential.where('revoked_at', 'is', null).executeTakeFirst()) !== undefined ||
    (await user.where('email', 'is not', null).executeTakeFirst()) !== undefined
  )
}
