/** Rules of users and API keys for signing without confirmation, and the amounts spent in the last day. */
import { type Kysely, sql } from 'kysely'

const statements = [
  // Canonical JSON as text, since a MAC covers its characters.
  'alter table organizations add column spending_rules text',
  'alter table credentials add column scope text',
  `create table signing_spend (
    org_id uuid not null references organizations(id) on delete cascade,
    credential_id uuid not null,
    chain_id bigint not null,
    token text not null,
    amount numeric(78) not null,
    spent_at timestamptz not null
  )`,
  'create index signing_spend_org on signing_spend(org_id, spent_at)',
  'create index signing_spend_at on signing_spend(spent_at)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
