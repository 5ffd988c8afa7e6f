import { randomUUID } from 'node:crypto'
import type { upsertProject } from '../../server/src/store/upsertProject.ts'

/** A project of a parent organization of its own, whose people confirm by mail, and whose keys a parent may make. */
export function createCarefulProject() {
  return {
    id: 'careful',
    name: 'Careful',
    apiKey: 'careful-api-key',
    redirectUrls: ['https://careful.example/'],
    allowedOrigins: ['http://localhost:4100'],
    organizationId: randomUUID(),
    parentCredentials: 'allowed',
    confirmations: 'mail',
  } satisfies upsertProject.Parameters
}
