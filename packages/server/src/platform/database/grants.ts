import type { ServerError } from '../errors/ServerError.ts'
import { jobSchema } from './jobs.ts'
import { openStore, type Store } from './openStore.ts'
import type { Tables } from './tables.ts'

/** Database user of each server role. */
export const databaseRoles = {
  custody: 'latchkey_custody',
  'signer-api': 'latchkey_signer_api',
  mail: 'latchkey_mail',
  gateway: 'latchkey_gateway',
  webhooks: 'latchkey_webhooks',
  console: 'latchkey_console',
  admin: 'latchkey_admin',
} as const

export type DatabaseRole = keyof typeof databaseRoles

type Privileges = {
  /** SQL privileges by table, with columns unless all are granted. Anything not listed is refused. */
  tables: Partial<Record<keyof Tables, string>>
  functions?: readonly string[]
  /** The queue of jobs, whose tables belong to graphile-worker. */
  jobs?: true
}

const all = 'select, insert, update, delete'
const failMail = 'fail_mail(uuid, text)'
const projectColumns =
  'id, name, redirect_urls, allowed_origins, organization_id, logo_url, hides_accounts, created_at, updated_at'
const apiKeyColumns =
  'id, project_id, name, key_start, chains, origins, methods, requests_per_minute, units_per_minute, revoked_at, created_at, updated_at'
/** Excludes `request`, which contains the account's signature before the operation is public. */
const operationColumns = `user_op_hash, project_id, policy_id, chain_id, entry_point, sender, nonce, paymaster, max_cost,
  valid_until, state, failure, replaced_by, prepared_at, signed_at, sent_at, seen_at, ended_at, block_number, block_hash,
  block_time, transaction_hash, log_index, success, actual_gas_used, actual_gas_cost, confirmed_at, resends, resend_at,
  created_at, updated_at, outcome, outcome_block`
/** Roles may add the events that they observe to the queue, but cannot read it. */
const queueWebhooks = 'insert (project_id, endpoint, type, once, data)'

/** Database privileges of every role. Every new table needs an entry here. */
export const privileges: Readonly<Record<DatabaseRole, Privileges>> = {
  custody: {
    tables: {
      organizations: all,
      users: all,
      credentials: all,
      oauth_providers: all,
      multi_factors: all,
      signing_spend: all,
      wallets: all,
      wallet_accounts: all,
      private_keys: all,
      import_targets: all,
      key_material: all,
      activities: all,
      activity_votes: all,
      confirmations: all,
      // Append-only, even for custody, except for the erasure that the table's trigger allows.
      activity_log: 'select, insert, update (body, stamp, salt, content_digest, intent)',
      activity_log_heads: 'select, insert, update',
      mail_outbox: all,
      mail_codes: all,
      mail_cancellations: 'select',
      // Rows stay until their credential is deleted.
      query_stamps: 'select, insert',
      custody_limits: all,
      // Custody owns the configuration, so it writes the projects that other roles read.
      projects: 'select, insert, update',
      webhook_outbox: queueWebhooks,
    },
    functions: [failMail],
    jobs: true,
  },
  'signer-api': {
    tables: {
      organizations: 'select (id, parent_id)',
      users: 'select (id, org_id, parent_org_id, email, email_verified_at)',
      activities: 'select (id, fingerprint)',
      mail_outbox: 'select (id, activity_id, state)',
      mail_cancellations: 'select, insert',
      rate_limits: 'select, insert, update',
      projects: 'select',
      api_keys: 'select',
      webhook_outbox: queueWebhooks,
    },
    functions: [failMail],
  },
  mail: {
    tables: {
      activities: 'select (id, fingerprint)',
      // Excludes `credential_id`, since `fail_mail` deletes the credential in this column.
      mail_outbox: 'select, delete, update (state, tries, next_try_at, failure, payload_sealed, updated_at)',
      mail_cancellations: 'select, delete',
      mail_codes: 'select (expires_at), delete',
      rate_limits: 'select (free_at), delete',
      security_events: 'select (at), delete',
    },
    functions: [failMail],
    jobs: true,
  },
  gateway: {
    tables: {
      projects: 'select',
      api_keys: 'select',
      gateway_limits: all,
      sponsorships: all,
      gas_policies: all,
      reservations: all,
      policy_spend: all,
      operations: all,
      operation_events: 'select, insert, delete',
      chain_cursors: 'select, insert, update',
      refusals: all,
      chain_states: 'select, insert, update',
      smart_accounts: 'select, insert',
      wallet_sessions: 'select, insert',
      webhook_outbox: queueWebhooks,
    },
    jobs: true,
  },
  webhooks: {
    tables: {
      // Excludes the content, which only its writer may change.
      webhook_outbox:
        'select, insert (project_id, endpoint, type, once, data), update (state, tries, next_try_at, failure, updated_at), delete',
      webhook_cursors: 'select, insert, update',
      operation_events: 'select',
      operations: 'select (user_op_hash, chain_id, entry_point, sender, nonce, policy_id)',
    },
  },
  // The admin API reads what operators see and writes what they manage. It has no access to credentials, custody keys
  // or ledger rows. It may count users and look up one user.
  admin: {
    tables: {
      projects: `select (${projectColumns})`,
      users: 'select (parent_org_id, created_at)',
      refusals: 'select',
      chain_states: 'select',
      smart_accounts: 'select (project_id, signer, address, factory_type)',
      // Excludes the content and the key that a mail carries.
      mail_outbox: `select (id, org_id, template, recipient, state, tries, next_try_at, expires_at, failure, created_at,
        updated_at)`,
      webhook_outbox: `select (id, project_id, endpoint, type, state, tries, next_try_at, failure, created_at, updated_at),
        update (state, tries, next_try_at, failure, updated_at)`,
      // Inserting a digest creates a key. Digests of existing keys can neither be read nor changed.
      api_keys: `select (${apiKeyColumns}), insert,
        update (name, chains, origins, methods, requests_per_minute, units_per_minute, revoked_at, updated_at)`,
      gas_policies: 'select, insert, update',
      sponsorships: 'select',
      reservations: 'select',
      policy_spend: 'select',
      operations: `select (${operationColumns}), update (resend_at, updated_at)`,
      operation_events: 'select',
      chain_cursors: 'select',
      // Rows carry a MAC whose key is not stored in a database.
      operators: 'select, insert, update (expires_at, removed_at, row_mac)',
      // Append-only, even for this role.
      operator_log: 'select, insert',
      security_events: 'select',
      operator_requests: 'select, insert, delete',
      operator_sessions: 'select, insert, update (seen_at), delete',
      admin_limits: all,
    },
    // The functions return one requested user at a time, so that this role cannot list users. Of an operation, it may
    // read only the call data.
    functions: [
      'find_organizations(text, text)',
      'describe_organization(uuid)',
      'describe_sign_in(uuid)',
      'read_call_data(text)',
    ],
  },
  // Not a server role: for custom dashboards. Reads what an operator sees, but no keys, bodies or stamps.
  console: {
    tables: {
      organizations: 'select (id, parent_id, name, created_at, deleted_at)',
      users: 'select (id, org_id, parent_org_id, name, email, email_verified_at, created_at)',
      activities: 'select (id, org_id, type, status, user_id, created_at, updated_at)',
      mail_outbox: 'select (id, org_id, template, state, tries, failure, created_at, updated_at)',
      projects: 'select (id, name, redirect_urls, allowed_origins, organization_id, logo_url, created_at, updated_at)',
      api_keys: `select (${apiKeyColumns})`,
      sponsorships: 'select',
      gas_policies: 'select',
      reservations: 'select',
      policy_spend: 'select',
      operations: `select (${operationColumns})`,
      operation_events: 'select',
      chain_cursors: 'select',
    },
  },
}

/**
 * Returns SQL, also usable with `psql`, that creates the users of all roles without passwords and grants their
 * privileges.
 */
export function grantsSql(): string {
  return ['begin;', ...statements(roleNames, { make: true }), 'commit;'].join('\n')
}

export declare namespace applyGrants {
  type Options = {
    /** `postgres://…` of the tables' owner, who may create users. */
    databaseUrl: string
    /**
     * Passwords that let the users of these roles sign in.
     *
     * @default users are created but cannot sign in
     */
    passwords?: Partial<Readonly<Record<DatabaseRole, string>>> | undefined
  }
  type ReturnType = {
    /** URL of each role that has a password, with its own user, for `createServer`. */
    databaseUrls: Partial<Record<DatabaseRole, string>>
  }
  type ErrorType = ServerError
}

/**
 * Creates a database user for each server role, and grants it only what the role needs. Run it after `migrate`.
 * Idempotent; later migrations grant what they add.
 *
 * @throws `DATABASE_UNREACHABLE`.
 *
 * @example
 * ```ts
 * import { applyGrants } from 'latchkey-server'
 *
 * const { databaseUrls } = await applyGrants({
 *   databaseUrl: 'postgres://owner:password@localhost:5432/latchkey',
 *   passwords: { gateway: 'a password of its own' },
 * })
 * console.log(Object.keys(databaseUrls))
 * ```
 */
export async function applyGrants({
  databaseUrl,
  passwords = {},
}: applyGrants.Options): Promise<applyGrants.ReturnType> {
  const store = await openStore({ databaseUrl, maxConnections: 1 })
  try {
    // Several statements in one query form one transaction.
    await store.pool.query(statements(roleNames, { make: true }).join('\n'))
    const databaseUrls: applyGrants.ReturnType['databaseUrls'] = {}
    for (const role of roleNames) {
      const password = passwords[role]
      if (password === undefined) continue
      await setPassword(store, role, password)
      databaseUrls[role] = asUser(databaseUrl, role, password)
    }
    return { databaseUrls }
  } finally {
    await store.close()
  }
}

async function setPassword({ pool }: Pick<Store, 'pool'>, role: DatabaseRole, password: string): Promise<void> {
  const { rows } = await pool.query<{ statement: string }>(
    `select format('alter role %I login password %L', $1::text, $2::text) as statement`,
    [databaseRoles[role], password],
  )
  if (rows[0]) await pool.query(rows[0].statement)
}

function asUser(databaseUrl: string, role: DatabaseRole, password: string): string {
  const url = new URL(databaseUrl)
  url.username = databaseRoles[role]
  url.password = encodeURIComponent(password)
  return url.href
}

/** Renews the grants of existing users for a new schema. Runs at the end of every migration. */
export async function renewGrants({ pool }: Pick<Store, 'pool'>): Promise<void> {
  const { rows } = await pool.query<{ rolname: string }>('select rolname from pg_roles where rolname = any($1)', [
    Object.values(databaseRoles),
  ])
  const found = new Set(rows.map(({ rolname }) => rolname))
  const present = roleNames.filter((role) => found.has(databaseRoles[role]))
  await pool.query(statements(present, { make: false }).join('\n'))
}

const roleNames = [
  'custody',
  'signer-api',
  'mail',
  'gateway',
  'webhooks',
  'console',
  'admin',
] as const satisfies readonly DatabaseRole[]

/** Arbitrary id of this advisory lock. */
const grantsLock = 4_107_339

function statements(roles: readonly DatabaseRole[], { make }: { make: boolean }): string[] {
  return [
    `select pg_advisory_xact_lock(${grantsLock});`,
    ...(make ? roles.map(makeUser) : []),
    ...roles.flatMap(grantStatements),
  ]
}

/** Roles whose statements no user waits for. */
const slowRoles: readonly DatabaseRole[] = ['mail', 'webhooks', 'console']

/**
 * Creates a database user. Users belong to all databases of a server, so a process of another database may create the
 * same user at the same time. The time limits apply to connections through a pooler; otherwise, the server sets its
 * own.
 */
function makeUser(role: DatabaseRole): string {
  const name = databaseRoles[role]
  const seconds = slowRoles.includes(role) ? 15 : 2
  return `do $$ begin create role ${name};
    alter role ${name} set statement_timeout = '${seconds}s';
    alter role ${name} set idle_in_transaction_session_timeout = '30s';
    exception when duplicate_object or unique_violation then null; end $$;`
}

function grantStatements(role: DatabaseRole): string[] {
  const name = databaseRoles[role]
  const { tables, functions = [], jobs = false } = privileges[role]
  return [
    // The tables' own schema may have a different name.
    `do $$ begin execute format('grant usage on schema %I to ${name}', current_schema());
  execute format('revoke all on all tables in schema %I from ${name}', current_schema()); end $$;`,
    `grant select on kysely_migration, devnet_clock to ${name};`,
    // Lets each replica report its state, on which no other role depends.
    `grant ${all} on server_copies to ${name};`,
    // Each role can only add its own events; it can neither read nor change any.
    `grant insert on security_events to ${name};`,
    ...Object.entries(tables).map(([table, granted]) => `grant ${granted} on ${table} to ${name};`),
    ...functions.map((signature) => `grant execute on function ${signature} to ${name};`),
    ...(jobs ? jobStatements(name) : []),
  ]
}

/** graphile-worker's tables have row security without a policy, so only their owner sees rows until a policy exists. */
function jobStatements(name: string): string[] {
  return [
    `grant usage on schema ${jobSchema} to ${name};`,
    `grant ${all} on all tables in schema ${jobSchema} to ${name};`,
    `grant usage on all sequences in schema ${jobSchema} to ${name};`,
    `do $$ declare found name; begin
  for found in select tablename from pg_tables t where schemaname = '${jobSchema}' and rowsecurity and not exists (
    select from pg_policies p where p.schemaname = t.schemaname and p.tablename = t.tablename and policyname = '${name}'
  ) loop execute format('create policy ${name} on ${jobSchema}.%I to ${name} using (true) with check (true)', found);
  end loop; end $$;`,
  ]
}
