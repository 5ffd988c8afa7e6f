import { type Kysely, sql } from 'kysely'

/** API keys of a project beside its first one (`store/apiKeys.ts`), and the gateway's limits. */
const statements = [
  // Null in a list: all that the project may.
  `create table api_keys (
    id uuid primary key,
    project_id text not null references projects(id),
    name text not null,
    key_hash bytea not null unique,
    key_start text not null,
    chains bigint[],
    origins text[],
    methods text[],
    requests_per_minute integer check (requests_per_minute > 0),
    units_per_minute integer check (units_per_minute > 0),
    revoked_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  )`,
  'create index api_keys_project on api_keys(project_id)',
  // Apart from `rate_limits`: the gateway must not give back tokens of mails.
  `create unlogged table gateway_limits (
    key text primary key,
    free_at timestamptz not null
  )`,
  'create index gateway_limits_free_at on gateway_limits(free_at)',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
