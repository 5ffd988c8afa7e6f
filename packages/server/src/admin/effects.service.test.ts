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

test('default: what an operator pauses is not paid for by the next request, and counts again when it is resumed', async () => {
  const made = await admin.call('post', '/projects/app/policies', { body: { id: 'steered', rules: {} } })
  expect(made.status).toBe(201)
  expect((await sponsor('steered')).error).toBeUndefined()
  await admin.call('post', '/projects/app/policies/steered/pause', { as: 'operator' })
  expect((await sponsor('steered')).error).toMatchObject({ data: { code: 'POLICY_REFUSED', rule: 'paused' } })
  await admin.call('post', '/projects/app/policies/steered/resume', { as: 'operator' })
  expect((await sponsor('steered')).error).toBeUndefined()
  const rules = { senders: [] }
  const headers = { 'if-match': '"3"' }
  await admin.call('put', '/projects/app/policies/steered', { body: { rules }, headers })
  expect((await sponsor('steered')).error).toMatchObject({ data: { rule: 'senders' } })
})

test('behavior: only what waits at a bundler is sent again', async () => {
  const { body } = await admin.call('get', '/operations?limit=1', { as: 'viewer' })
  const path = `/operations/${body.items[0].userOpHash}`
  const refused = await admin.call('post', `${path}/resend`, { as: 'operator' })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'STATE_CONFLICT'])
  const hash = body.items[0].userOpHash
  await admin.owner.pool.query(
    `update operations set state = 'seen', seen_at = now(), resend_at = now() + interval '5 minutes' where user_op_hash = $1`,
    [hash],
  )
  expect((await admin.call('post', `${path}/resend`, { as: 'operator' })).status).toBe(202)
  const read = async () => {
    const { rows } = await admin.owner.pool.query<{ due: boolean }>(
      'select resend_at <= now() as due from operations where user_op_hash = $1',
      [hash],
    )
    return rows[0]?.due
  }
  expect(await read()).toBe(true)
})

test('behavior: events arrive as they happen, and a stream ends with its operator', async () => {
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
