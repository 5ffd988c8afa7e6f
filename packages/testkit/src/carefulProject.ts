import { randomUUID } from 'node:crypto'
import type { upsertProject } from '../../server/src/store/upsertProject.ts'

/** Creates a project with its own parent organization, confirmations by e-mail and parent credentials. */
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
