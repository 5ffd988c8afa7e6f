import { lightOperation } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { startTestAdmin, type TestAdmin } from '@latchkey/testkit/startTestAdmin'
import { test } from '@latchkey/testkit/worker'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { adminApp } from './app.ts'

const { entryPoints } = devAddresses
const receiver = '0x00000000000000000000000000000000000000aa'
let gateway: TestGateway
let admin: TestAdmin
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain, background: true })
  admin = await startTestAdmin({ databaseUrl: gateway.ownerUrl })
})
afterAll(async () => {
  await admin?.close()
  await gateway?.close()
})

async function sponsor(policyId: string) {
  const { userOperation, dummySignature } = await lightOperation(gateway, '0.7.0', [{ to: receiver }])
  const parameters = { policyId, entryPoint: entryPoints['0.7.0'], dummySignature, userOperation, overrides: {} }
  return gateway.ask('alchemy_requestGasAndPaymasterAndData', [parameters])
}

test('resends only operations that wait at a bundler', async () => {
  await sponsor('default')
  const { body } = await admin.call('get', '/operations?limit=1', { as: 'viewer' })
  const path = `/operations/${body.items[0].userOpHash}`
  const refused = await admin.call('post', `${path}/resend`, { as: 'operator' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'STATE_CONFLICT'])
  const hash = body.items[0].userOpHash
  const waiting = `update operations set state = 'seen', seen_at = now(), resend_at = now() + interval '5 minutes'`
  await admin.owner.pool.query(`${waiting} where user_op_hash = $1`, [hash])
  expect((await admin.call('post', `${path}/resend`, { as: 'operator' })).status).toBe(202)
  const due = 'select resend_at <= now() as due from operations where user_op_hash = $1'
  expect((await admin.owner.pool.query(due, [hash])).rows).toEqual([{ due: true }])
})

test('streams events as they happen, until the operator is removed', async () => {
  const made = await admin.call('post', '/operators', { body: { name: 'Watcher', role: 'viewer' } })
  const app = adminApp({ ...admin.deps, recheckMs: 100 })
  const headers = { authorization: `Bearer ${made.body.secret}` }
  const response = await app.request('/admin/v1/projects/app/operations/events', { headers })
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += decoder.decode(value)
      if (text.includes('event: operation')) await admin.call('delete', `/operators/${made.body.operator.id}`)
    }
  })()
  await sponsor('default')
  await reading
  expect(text).toContain('"policyId":"default"')
  expect((await app.request('/admin/v1/projects/app/operations/events', { headers })).status).toBe(401)
})
