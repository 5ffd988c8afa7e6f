import { startTestAdmin, type TestAdmin } from '@latchkey/testkit/startTestAdmin'
import { signInPaths } from 'latchkey/wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { routes } from './routes.ts'

let admin: TestAdmin
beforeAll(async () => {
  admin = await startTestAdmin()
})
afterAll(() => admin?.close())

/** What OpenAPI 3.1.0 asks of the objects that the document uses (§ 4.8). Strict: nothing unknown. */
const jsonSchema = z.record(z.string(), z.unknown())
const content = z.record(z.string().regex(/^\w+\/[\w-]+$/), z.strictObject({ schema: jsonSchema }))
const response = z.strictObject({ description: z.string().min(1), content: content.optional() })
const parameter = z.strictObject({
  name: z.string().min(1),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean(),
  description: z.string().optional(),
  schema: jsonSchema,
})
const operation = z.strictObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string(),
  // Who has no bearer yet has no role.
  'x-latchkey-role': z.enum(['viewer', 'operator', 'admin']).optional(),
  security: z.tuple([]).optional(),
  parameters: z.array(parameter),
  requestBody: z.strictObject({ required: z.literal(true), content }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), response),
})
const methods = z.strictObject({
  get: operation.optional(),
  post: operation.optional(),
  put: operation.optional(),
  patch: operation.optional(),
  delete: operation.optional(),
})
const documentSchema = z.strictObject({
  openapi: z.literal('3.1.0'),
  jsonSchemaDialect: z.url(),
  info: z.strictObject({ title: z.string(), version: z.string(), description: z.string() }),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  paths: z.record(z.string().startsWith('/admin/v1/'), methods),
  components: z.strictObject({
    securitySchemes: z.strictObject({
      operatorKey: z.strictObject({ type: z.literal('http'), scheme: z.literal('bearer'), description: z.string() }),
    }),
    schemas: z.record(z.string(), jsonSchema),
  }),
})

async function read() {
  const { status, body } = await admin.call('get', '/openapi.json', { as: '' })
  expect(status).toBe(200)
  return documentSchema.parse(body)
}

test('default: it is a document of OpenAPI 3.1, and names every call with its role', async () => {
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

test('behavior: parameters of each path are listed once, each call has an error of its own form, references resolve', async () => {
  const document = await read()
  const names = new Set<string>()
  for (const [path, item] of Object.entries(document.paths))
    for (const found of Object.values(item)) {
      if (!found) continue
      names.add(found.operationId)
      const inPath = found.parameters.filter((one) => one.in === 'path')
      expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
      expect(inPath.every(({ required }) => required)).toBe(true)
      expect(new Set(found.parameters.map((one) => `${one.in} ${one.name}`)).size).toBe(found.parameters.length)
      const common = found.security ? ['404', '429'] : ['400', '401', '403', '429']
      expect(Object.keys(found.responses)).toEqual(expect.arrayContaining(common))
    }
  expect(names.size).toBe(routes.length + Object.keys(signInPaths).length)
  for (const [, reference = ''] of JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)) {
    expect(reference).toMatch(/^#\//)
    const target = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[part], document)
    expect([reference, target === undefined]).toEqual([reference, false])
  }
  const update = document.paths['/admin/v1/projects/{projectId}/policies/{policyId}']?.put
  expect(update?.parameters.find(({ name }) => name === 'If-Match')?.required).toBe(true)
  expect(JSON.stringify(update?.requestBody)).toContain('preVerificationGas')
  expect(Object.keys(update?.responses ?? {})).toEqual(expect.arrayContaining(['409', '412', '428']))
})

test('behavior: schemas of the document are JSON Schema that accepts what the API returns', async () => {
  const document = await read()
  const show = document.paths['/admin/v1/projects/{projectId}']?.get
  const schema = show?.responses['200']?.content?.['application/json']?.schema
  const { body } = await admin.call('get', '/projects/shop', { as: 'viewer' })
  expect(z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(body).success).toBe(true)
  expect(JSON.stringify(schema)).toContain('projects file')
})
