import { startTestAdmin } from '@latchkey/testkit/startTestAdmin'
import { signInPaths } from 'latchkey-protocol/admin'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from './routes.ts'

const admin = await startTestAdmin()
afterAll(() => admin.close())

const documentSchema = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(
    z.string().startsWith('/admin/v1/'),
    z.partialRecord(
      z.enum(['get', 'post', 'put', 'patch', 'delete']),
      z.looseObject({
        operationId: z.string(),
        // Sign-in calls need no bearer token, so they have no role.
        'x-latchkey-role': z.enum(['viewer', 'operator', 'admin']).optional(),
        security: z.tuple([]).optional(),
        responses: z.record(
          z.string().regex(/^[1-5]\d\d$/),
          z.looseObject({ content: z.record(z.string(), z.object({ schema: z.looseObject({}) })).optional() }),
        ),
      }),
    ),
  ),
})

async function read() {
  const { status, body } = await admin.call('get', '/openapi.json', { as: '' })
  expect(status).toBe(200)
  return documentSchema.parse(body)
}

test('documents every call with its role in OpenAPI 3.1', async () => {
  const { paths } = await read()
  const listed = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, found]) => `${method} ${path} ${found?.['x-latchkey-role']}`),
  )
  const open = Object.values(signInPaths).map((path) => `post /admin/v1${path} undefined`)
  expect(listed.sort()).toEqual(
    [...open, ...routes.map(({ method, path, role }) => `${method} /admin/v1${path} ${role}`)].sort(),
  )
  for (const path of Object.values(signInPaths)) expect(paths[`/admin/v1${path}`]?.post?.security).toEqual([])
})
