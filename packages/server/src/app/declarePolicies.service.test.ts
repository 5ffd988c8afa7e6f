import { startTestStore } from '@latchkey/testkit/database'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Store } from '../platform/database/openStore.ts'
import { upsertProject } from '../store/upsertProject.ts'
import { declarePolicies } from './declarePolicies.ts'

let store: Store
beforeAll(async () => {
  store = await startTestStore()
})
afterAll(() => store?.close())

const project = { id: 'late', name: 'Late', apiKey: 'key-of-late', redirectUrls: [], allowedOrigins: [] }
const policies = [{ id: 'default' }]

test('behavior: a project that custody writes a little later is waited for', async () => {
  const declared = declarePolicies(store.db, { policies, projects: [project] })
  await upsertProject(store.db, project)
  await declared
  const rows = await store.db.selectFrom('gas_policies').select(['project_id', 'id', 'is_default']).execute()
  expect(rows).toEqual([{ project_id: 'late', id: 'default', is_default: true }])
})
