import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { answerRequestId } from './answerRequestId.ts'
import { requestId } from './requestId.ts'

test('default', async () => {
  const app = new Hono()
  app.use(answerRequestId())
  app.get('/', ({ req, text }) => text(requestId(req.raw)))
  const answer = await app.request('/')
  expect(answer.headers.get('x-request-id')).toBe(await answer.text())
  const given = await app.request('/', { headers: { 'x-request-id': 'given-id-1' } })
  expect([given.headers.get('x-request-id'), await given.text()]).toEqual(['given-id-1', 'given-id-1'])
})

test('behavior: on errors too', async () => {
  const app = new Hono()
  app.use(answerRequestId())
  app.onError((_, { text }) => text('sorry', 500))
  app.get('/', () => {
    throw new TypeError('broken')
  })
  const answer = await app.request('/')
  expect([answer.status, answer.headers.get('x-request-id')]).toEqual([500, expect.stringMatching(/^[0-9a-f-]{36}$/)])
})
