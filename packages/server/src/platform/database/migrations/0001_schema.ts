/**
 * The schema of the first release. Rows that custody trusts contain its MAC (`mac`; an empty MAC is never valid), and
 * authorizations of activities are in an append-only log.
 *
 * Later migrations expand and contract, since replicas of the previous release still run during a migration:
 *
 * 1. Expand: add new parts (a table, a nullable column or one with a default, an index), so that the previous release
 * still runs. The new code writes both the old and the new form, and reads either.
 * 2. Move the rows, in batches, once no replica of the previous release runs.
 * 3. Contract, a release later: drop parts that no code reads any more.
 *
 * A released migration is never edited. Each migration is a file `NNNN_name.ts` in this folder and a line in
 * `migrate.ts`.
 */
import { type Kysely, sql } from 'kysely'
import { activities } from './baseline/activities.ts'
import { clock } from './baseline/clock.ts'
import { mails } from './baseline/mails.ts'
import { money } from './baseline/money.ts'
import { operations } from './baseline/operations.ts'
import { operators } from './baseline/operators.ts'
import { organizations } from './baseline/organizations.ts'
import { projects } from './baseline/projects.ts'
import { wallets } from './baseline/wallets.ts'
import { webhooks } from './baseline/webhooks.ts'

/** Security-definer functions must not use tables that the caller created. */
const ownFunctions = `do $$ declare named text; begin
  foreach named in array array[
    'fail_mail(uuid, text)', 'refuse_log_change()', 'find_organizations(text, text)', 'describe_organization(uuid)',
    'read_call_data(text)'
  ] loop
    execute format('alter function %s set search_path = %I, pg_temp', named, current_schema());
  end loop;
end $$`

const revoked = `revoke all on function fail_mail(uuid, text), find_organizations(text, text), describe_organization(uuid),
  read_call_data(text) from public`

/** Ordered by references between tables. */
const subjects = [clock, organizations, wallets, activities, mails, projects, money, operations, operators, webhooks]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [...subjects.flat(), ownFunctions, revoked]) await sql.raw(statement).execute(db)
}
