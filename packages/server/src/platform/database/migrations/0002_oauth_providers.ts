/** Identities of OpenID Connect providers by which users sign in. */
import { type Kysely, sql } from 'kysely'

const statements = [
  `create table oauth_providers (
    id uuid primary key,
    user_id uuid not null,
    org_id uuid not null,
    parent_org_id uuid not null,
    name text not null,
    issuer text not null,
    audience text not null,
    subject text not null,
    revoked_at timestamptz,
    created_at timestamptz not null default latchkey_now(),
    mac bytea not null,
    foreign key (user_id, org_id) references users(id, org_id) on delete cascade
  )`,
  'create index oauth_providers_org on oauth_providers(org_id)',
  'create index oauth_providers_valid on oauth_providers(org_id) where revoked_at is null',
  'create index oauth_providers_user on oauth_providers(user_id)',
  // An identity signs in to one account of a parent organization.
  `create unique index oauth_providers_identity on oauth_providers(parent_org_id, issuer, audience, subject)
    where revoked_at is null`,
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
