import type { Db } from '../openStore.ts'
import { type Project, toProject } from './project.ts'

/** Every project, by id; with `parent` those whose users live in that parent organization. */
export async function listProjects(db: Db, parent?: listProjects.Parent): Promise<Project[]> {
  const rows = await db
    .selectFrom('projects')
    .selectAll()
    .$if(parent !== undefined, (query) =>
      query.where((where) =>
        where.or([
          where('organization_id', '=', parent?.organizationId ?? null),
          ...(parent?.organizationId === parent?.rootOrganizationId ? [where('organization_id', 'is', null)] : []),
        ]),
      ),
    )
    .orderBy('id')
    .execute()
  return rows.map(toProject)
}

export declare namespace listProjects {
  /** Projects that name no organization belong to the server's root organization. */
  type Parent = { organizationId: string; rootOrganizationId: string }
}
