import { Hono } from 'hono'
import type { RequestIdVariables } from 'hono/request-id'
import { expect, test } from 'vitest'
import { requestId } from './requestId.ts'

const app = new Hono<{ Variables: RequestIdVariables }>()
app.use(requestId())
app.onError((_, { text }) => text('sorry', 500))
app.get('/', (context) => context.text(context.get('requestId')))
app.get('/broken', () => {
  throw new TypeError('broken')
})

async function idFor(given?: string): Promise<string | null> {
  const response = await app.request('/', { headers: given === undefined ? {} : { 'x-request-id': given } })
  expect(await response.text()).toBe(response.headers.get('x-request-id'))
  return response.headers.get('x-request-id')
}

test('makes a new id for each request', async () => {
  const one = await idFor()
  expect(one).toMatch(/^[0-9a-f-]{36}$/)
  expect(await idFor()).not.toBe(one)
})

test('keeps a plain given id', async () => {
  for (const id of ['abc-123_DEF', 'given-id-1', 'x'.repeat(64)]) expect(await idFor(id)).toBe(id)
  for (const id of ['', 'short', 'x'.repeat(65), 'with space', '<script>aaaa', 'padded-id=='])
    expect(await idFor(id), id).not.toBe(id)
})
