import type { AdminProject } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { type ListedProject, listProjects } from '../../store/projects.ts'
import type { upsertProject } from '../../store/upsertProject.ts'
import { pageQuery, pageResponse, projectParams, readPage, time } from '../adminSchemas.ts'
import { defineRead, defineWrite, type Route } from '../defineRoute.ts'

const readOnly =
  'These fields come from the projects file (LATCHKEY_PROJECTS_FILE), which custody trusts instead of the database. Change the file and restart the roles; this API only reads them.'

const project = z.object({
  id: z.string(),
  name: z.string(),
  redirectUrls: z.array(z.string()),
  allowedOrigins: z.array(z.string()),
  organizationId: z.string().nullable(),
  logoUrl: z.string().nullable(),
  hidesAccounts: z.boolean(),
  file: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('Further fields from the projects file of this role. Null if the file does not have the project.'),
  readOnly: z.literal(readOnly),
  createdAt: time,
  updatedAt: time,
}) satisfies z.ZodType<AdminProject>

export const projectRoutes: readonly Route[] = [
  defineRead({
    path: '/projects',
    role: 'viewer',
    name: 'project.list',
    summary: 'Lists the projects, by id.',
    params: z.strictObject({}),
    query: pageQuery({}),
    response: pageResponse('Projects.', project),
    async run({ db, projects }, { query }) {
      const { rows, next } = await readPage({
        query,
        place: z.strictObject({ id: z.string() }),
        toPlace: ({ id }: ListedProject) => ({ id }),
        read: (limit, after) => listProjects(db, { limit, after: after?.id }),
      })
      return { items: rows.map((row) => toProject(row, projects)), next }
    },
  }),
  defineRead({
    path: '/projects/{projectId}',
    role: 'viewer',
    name: 'project.show',
    summary: 'Returns a project. Its fields come from the projects file and are read-only.',
    params: projectParams,
    query: z.strictObject({}),
    response: project,
    errors: ['NOT_FOUND'],
    async run({ db, projects }, { params }) {
      const [row] = await listProjects(db, { limit: 1, id: params.projectId })
      if (!row)
        throw new ServerError('There is no such project. List the projects.', { code: 'NOT_FOUND', status: 404 })
      return toProject(row, projects)
    },
  }),
  defineWrite({
    method: 'post',
    path: '/projects/{projectId}/try',
    role: 'viewer',
    name: 'project.try',
    summary: 'Validates changes to a project and returns the resulting entry of the projects file. Writes nothing.',
    params: projectParams,
    query: z.strictObject({}),
    body: z.strictObject({ changes: z.record(z.string(), z.unknown()) }),
    isRead: true,
    response: z.object({
      problems: z.array(z.string()),
      entry: z
        .record(z.string(), z.unknown())
        .describe('Entry of the projects file, without the API key, which does not change.'),
    }),
    errors: ['NOT_FOUND'],
    async run({ tryProject }, { params, body }) {
      const tried = tryProject?.({ id: params.projectId, changes: body.changes })
      if (tried) return { body: tried }
      throw new ServerError('The projects file of this role has no such project (LATCHKEY_PROJECTS_FILE).', {
        code: 'NOT_FOUND',
        status: 404,
      })
    },
  }),
]

function toProject(row: ListedProject, configured: readonly upsertProject.Parameters[]): z.input<typeof project> {
  const found = configured.find(({ id }) => id === row.id)
  return {
    id: row.id,
    name: row.name,
    redirectUrls: row.redirectUrls,
    allowedOrigins: row.allowedOrigins,
    organizationId: row.organizationId,
    logoUrl: row.logoUrl,
    hidesAccounts: row.hidesAccounts,
    file: found ? toFile(found) : null,
    readOnly,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

/**
 * Returns the custody-only settings. Selects each member explicitly, since the file also contains the project's API
 * key.
 */
function toFile(file: upsertProject.Parameters): Record<string, unknown> {
  const {
    codes,
    parentCredentials,
    linkSeconds,
    redirectParams,
    unboundQueries,
    confirmations,
    withoutAddress,
    signing,
  } = file
  return {
    codes: codes ?? 'nine-digits',
    parentCredentials: parentCredentials ?? 'refused',
    linkSeconds: linkSeconds ?? 900,
    redirectParams: redirectParams ?? [],
    unboundQueries: unboundQueries ?? 'brief',
    confirmations: confirmations ?? 'mail',
    withoutAddress: withoutAddress ?? 'passkey',
    blindSigning: signing?.blind ?? 'deny',
  }
}
