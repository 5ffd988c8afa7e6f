/** Function by which the admin API reads a user's identity providers and second factors, without secrets. */
import { type Kysely, sql } from 'kysely'

const statements = [
  `create function describe_sign_in(wanted uuid) returns jsonb language sql stable security definer as $$
    select jsonb_build_object(
      'providers', (select coalesce(jsonb_agg(to_jsonb(found)), '[]') from (
        select id, name, issuer, created_at from oauth_providers
        where org_id = wanted and revoked_at is null order by created_at, id limit 100
      ) as found),
      'factors', (select coalesce(jsonb_agg(to_jsonb(found)), '[]') from (
        select id, activated_at, cardinality(recovery_codes) as recovery_codes_left, created_at from multi_factors
        where org_id = wanted order by created_at, id limit 100
      ) as found)
    )
  $$`,
  // A security-definer function must not use tables that the caller created.
  `do $$ begin
    execute format('alter function describe_sign_in(uuid) set search_path = %I, pg_temp', current_schema());
  end $$`,
  'revoke all on function describe_sign_in(uuid) from public',
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
}
