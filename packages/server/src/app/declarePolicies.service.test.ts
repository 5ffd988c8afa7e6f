import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, expect, test } from 'vitest'
import { upsertProject } from '../store/upsertProject.ts'
import { declarePolicies } from './declarePolicies.ts'

const store = await startTestStore()
afterAll(() => store.close())

const project = { id: 'late', name: 'Late', apiKey: 'key-of-late', redirectUrls: [], allowedOrigins: [] }
const policies = [{ id: 'default' }]

test('waits for a project that custody writes later', async () => {
  const declared = declarePolicies(store.db, { policies, projects: [project] })
  await upsertProject(store.db, project)
  await declared
  const rows = await store.db.selectFrom('gas_policies').select(['project_id', 'id', 'is_default']).execute()
  expect(rows).toEqual([{ project_id: 'late', id: 'default', is_default: true }])
})
