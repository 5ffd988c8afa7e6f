import { type Selectable, type SqlBool, sql } from 'kysely'
import type { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import type { UserTable } from '../../store/tables.ts'
import { forgetMails } from '../credentials/forgetMails.ts'
import { custodyError } from '../custodyError.ts'
import type { CustodyContext } from '../deps.ts'
import { isGenuineUser } from './findUser.ts'
import { writeEmail } from './writeEmail.ts'

type Context = Pick<CustodyContext, 'macKey' | 'logger' | 'now'>

/**
 * Makes an address free within a parent. Whoever only claims it, without a mail to it ever having been used, gives way:
 * nobody can keep an address from its owner, or have its owner sign up to an organization that somebody else can enter.
 * What stays are a proven address, and one whose sign-up waits for its mail and whose organization nobody can enter yet.
 *
 * @throws ServerError `INVALID_EMAIL` (400)
 */
export async function releaseEmail(
  context: Context,
  db: Db,
  { parentOrgId, email, except }: releaseEmail.Parameters,
): Promise<void> {
  const holder = await db
    .selectFrom('users')
    .selectAll()
    .where('parent_org_id', '=', parentOrgId)
    .where(sql<SqlBool>`lower(email) = lower(${email})`)
    .$if(except !== undefined, (query) => query.where('id', '!=', except ?? ''))
    .forUpdate()
    .executeTakeFirst()
  if (!holder) return
  if (!(await isMereClaim(context, db, holder))) throw emailTaken()
  await writeEmail(context, db, { user: holder, email: null, email_verified_at: null, email_claimed: false })
  await forgetMails(context, db, { userId: holder.id })
}

export declare namespace releaseEmail {
  type Parameters = {
    /** Null for the users of parents, who have none. */
    parentOrgId: string | null
    email: string
    /** The user who asks. */
    except?: string | undefined
  }
}

export function emailTaken(): ServerError {
  return custodyError('INVALID_EMAIL', 'A sub-organization with this e-mail address exists already. Use that one.')
}

/** Not proven, and either named by the user themselves or of an organization that more than mails lead into. */
async function isMereClaim(context: Context, db: Db, holder: Selectable<UserTable>): Promise<boolean> {
  if (holder.email_verified_at !== null || !isGenuineUser(context, holder)) return false
  if (holder.email_claimed) return true
  const entrance = await db
    .selectFrom('credentials')
    .select('id')
    .where('org_id', '=', holder.org_id)
    .where('email_session', '=', false)
    .where('revoked_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', new Date(context.now()))]))
    .limit(1)
    .executeTakeFirst()
  if (entrance) return true
  const others = db.selectFrom('users').select('id').where('org_id', '=', holder.org_id).where('id', '!=', holder.id)
  return (await others.limit(1).executeTakeFirst()) !== undefined
}
