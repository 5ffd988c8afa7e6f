import { randomBytes, randomUUID } from 'node:crypto'
import type { OperatorRole } from 'latchkey-protocol/admin'
import { adminApp } from '../../server/src/admin/app.ts'
import { openStore, type Store } from '../../server/src/platform/database/openStore.ts'
import { createOperator } from '../../server/src/store/operators.ts'
import { upsertProject } from '../../server/src/store/upsertProject.ts'
import { startTestDatabase } from './database.ts'
import { asRole } from './run/databaseServer.ts'

export type AdminReply = {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: each call has a body of its own form
  body: any
}

export type TestAdmin = {
  app: ReturnType<typeof adminApp>
  deps: adminApp.Deps
  /** As the owner of the tables. */
  owner: Store
  databaseUrl: string
  key: Uint8Array
  /** Keys, by role. */
  secrets: Record<OperatorRole, string>
  /** `as`: a role, or a key. */
  call(method: string, path: string, options?: TestAdmin.Call): Promise<AdminReply>
  close(): Promise<void>
}

export declare namespace TestAdmin {
  type Call = {
    as?: string | undefined
    body?: unknown
    headers?: Record<string, string>
    app?: ReturnType<typeof adminApp>
  }
  type Options = Partial<
    Pick<adminApp.Deps, 'console' | 'custodyUrl' | 'limits' | 'logger' | 'now' | 'operators' | 'projects'>
  > & {
    /** A database to use; without one it has its own. */
    databaseUrl?: string | undefined
  }
}

/** The admin API over a database, as its own user, with a key a role and the projects `shop` and `bank`. */
export async function startTestAdmin({ databaseUrl, ...options }: TestAdmin.Options = {}): Promise<TestAdmin> {
  const database = databaseUrl ? undefined : await startTestDatabase({ migrated: true })
  const url = databaseUrl ?? database?.url ?? ''
  const owner = await openStore({ databaseUrl: url })
  const store = await openStore({ databaseUrl: asRole(url, 'admin') })
  const projects = ['shop', 'bank'].map((id) => ({
    id,
    name: id,
    apiKey: `first-key-of-${id}`,
    redirectUrls: [`https://${id}.example/`],
    allowedOrigins: [`https://${id}.example`],
  }))
  for (const project of projects) await upsertProject(owner.db, project)
  const key = randomBytes(32)
  const make = async (role: OperatorRole) => (await createOperator(owner.db, { key, name: `The ${role}`, role })).secret
  const secrets = { viewer: await make('viewer'), operator: await make('operator'), admin: await make('admin') }
  const rootOrganizationId = randomUUID()
  const deps: adminApp.Deps = { db: store.db, rootOrganizationId, key, projects, exemptLoopback: true, ...options }
  const app = adminApp(deps)
  return {
    app,
    deps,
    owner,
    databaseUrl: store.databaseUrl,
    key,
    secrets,
    async call(method, path, { as = 'admin', body, headers = {}, app: other = app } = {}) {
      const secret = as in secrets ? secrets[as as OperatorRole] : as
      const response = await other.request(`/admin/v1${path}`, {
        // `fetch` writes `patch` as it is given.
        method: method.toUpperCase(),
        headers: { ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
    },
    async close() {
      await store.close()
      await owner.close()
      await database?.close()
    },
  }
}
