import { z } from 'zod'
import { ServerError } from '../../http/ServerError.ts'
import type { Db } from '../../store/openStore.ts'
import type { CallerProject } from './requireProject.ts'

const schema = z.object({ organizationId: z.uuid() })

/**
 * Checks that a stamped request is about the project's own parent organization or a sub-organization of it, before it is
 * sent on: for another project's users there is nothing here. Answers the organization's id.
 *
 * @throws ServerError `REQUEST_INVALID` (400) | `ORGANIZATION_NOT_FOUND` (404)
 */
export async function requireOrganization(db: Db, { project, body }: requireOrganization.Parameters): Promise<string> {
  const parsed = schema.safeParse(parse(body))
  if (!parsed.success)
    throw new ServerError('stampedRequest.body must be JSON with an organizationId that is a UUID.', {
      code: 'REQUEST_INVALID',
      status: 400,
    })
  const id = parsed.data.organizationId.toLowerCase()
  if (id === project.organizationId) return id
  const row = await db.selectFrom('organizations').select('parent_id').where('id', '=', id).executeTakeFirst()
  if (row?.parent_id === project.organizationId) return id
  throw new ServerError(`no organization found with ID ${id}`, { code: 'ORGANIZATION_NOT_FOUND', status: 404 })
}

export declare namespace requireOrganization {
  type Parameters = {
    project: Pick<CallerProject, 'organizationId'>
    /** Of the stamped request. Only looked at: what is sent on is the text itself. */
    body: string
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
