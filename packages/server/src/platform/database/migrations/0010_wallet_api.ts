import { type Kysely, sql } from 'kysely'

/** Accounts that clients of the wallet API asked for: how each is made is not to be read from its address. */
const statements = [
  `create table smart_accounts (
    id uuid primary key,
    project_id text not null references projects(id),
    signer text not null,
    address text not null,
    factory_type text not null,
    owners text[] not null,
    salt numeric(78, 0) not null,
    created_at timestamptz not null default now(),
    unique (project_id, address)
  )`,
  'create index smart_accounts_signer on smart_accounts(project_id, signer, created_at, id)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
