import { randomBytes, randomUUID } from 'node:crypto'
import type { OperatorRole } from 'latchkey-protocol/admin'
import { adminApp } from '../../server/src/admin/app.ts'
import { openStore } from '../../server/src/platform/database/openStore.ts'
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

export type TestAdmin = Awaited<ReturnType<typeof startTestAdmin>>

export declare namespace TestAdmin {
  type Call = {
    /** Role or key of the operator. */
    as?: string | undefined
    body?: unknown
    headers?: Record<string, string>
    app?: ReturnType<typeof adminApp>
  }
  type Options = Partial<
    Pick<adminApp.Deps, 'chains' | 'console' | 'custodyUrl' | 'limits' | 'logger' | 'now' | 'operators' | 'projects'>
  > & {
    /** URL of a database. @default a new database */
    databaseUrl?: string | undefined
  }
}

/**
 * Starts the admin API as its own database user, with an operator key for each role and the projects `shop` and `bank`.
 */
export async function startTestAdmin({ databaseUrl, ...options }: TestAdmin.Options = {}) {
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
  const secrets: Record<OperatorRole, string> = {
    viewer: await make('viewer'),
    operator: await make('operator'),
    admin: await make('admin'),
  }
  const rootOrganizationId = randomUUID()
  const deps: adminApp.Deps = { db: store.db, rootOrganizationId, key, projects, exemptLoopback: true, ...options }
  const app = adminApp(deps)
  return {
    app,
    deps,
    /** Store of the tables' owner. */
    owner,
    databaseUrl: store.databaseUrl,
    key: key as Uint8Array,
    secrets,
    async call(
      method: string,
      path: string,
      { as = 'admin', body, headers = {}, app: other = app }: TestAdmin.Call = {},
    ): Promise<AdminReply> {
      const secret = as in secrets ? secrets[as as OperatorRole] : as
      const response = await other.request(`/admin/v1${path}`, {
        // `fetch` does not convert `patch` to upper case.
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
