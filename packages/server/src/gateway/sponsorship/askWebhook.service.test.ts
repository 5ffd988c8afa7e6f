import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { silentLogger } from '../../platform/observability/logger.ts'
import { policyRulesSchema } from '../../store/ledger/policyRules.ts'
import { askWebhook, webhookSecret } from './askWebhook.ts'

const key = new Uint8Array(32).fill(7)
let reply: { status: number; body: string } | undefined
const seen: { headers: IncomingMessage['headers']; body: string }[] = []

const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  seen.push({ headers: request.headers, body })
  if (reply) response.writeHead(reply.status).end(reply.body)
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  reply = undefined
  seen.length = 0
})

function ask(
  otherwise: 'refuse' | 'sponsor' = 'refuse',
  port = (server.address() as AddressInfo).port,
  { host = '127.0.0.1', isDeclared = true } = {},
) {
  // A response must not time out on a busy machine.
  const timeoutMs = reply ? 10_000 : 300
  const webhook = { url: `http://${host}:${port}/decide`, timeoutMs, otherwise }
  const policy = {
    projectId: 'app',
    id: 'p',
    isDefault: true,
    paused: false,
    isDeclared,
    rules: policyRulesSchema.parse({ webhook }),
  }
  const request = { chainId: 10, maxCost: '5' }
  return askWebhook({ policy, key, request, now: 1_700_000_000_000, logger: silentLogger })
}

const refusal = { code: 'POLICY_REFUSED', rpcCode: -32501, data: { rule: 'webhook' } }

test('signs its request and accepts an approval', async () => {
  reply = { status: 200, body: '{"approved":true}' }
  await ask()
  const [{ headers, body }] = seen as [(typeof seen)[0]]
  expect(JSON.parse(body)).toEqual({ projectId: 'app', policyId: 'p', chainId: 10, maxCost: '5' })
  const secret = Buffer.from(webhookSecret(key, 'app', 'p'), 'hex')
  const mac = createHmac('sha256', secret).update(`1700000000.${body}`).digest('hex')
  expect(headers['latchkey-signature']).toBe(`t=1700000000,v1=${mac}`)
})

test("refuses with the webhook's reason", async () => {
  reply = { status: 200, body: JSON.stringify({ approved: false, reason: 'Not this week.' }) }
  await expect(ask('sponsor')).rejects.toMatchObject({ ...refusal, message: expect.stringContaining('Not this week.') })
})

test('applies the default without a usable decision in time', async () => {
  for (const no of [
    undefined,
    { status: 500, body: '' },
    { status: 200, body: '{"approved":"yes"}' },
    { status: 200, body: 'ok' },
  ]) {
    reply = no
    await expect(ask('refuse')).rejects.toMatchObject(refusal)
    await expect(ask('sponsor')).resolves.toBeUndefined()
  }
  await expect(ask('refuse', 1)).rejects.toMatchObject(refusal)
  await expect(ask('sponsor', 1)).resolves.toBeUndefined()
})

test.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '169.254.169.254', '10.0.0.1', '0.0.0.0'])(
  'asks no server at %s for a policy that an operator made',
  async (host) => {
    reply = { status: 200, body: '{"approved":true}' }
    await expect(ask('refuse', undefined, { host, isDeclared: false })).rejects.toMatchObject(refusal)
    expect(seen).toEqual([])
  },
)

test('derives a secret per policy', () => {
  const secrets = [webhookSecret(key, 'app', 'p'), webhookSecret(key, 'app', 'q'), webhookSecret(key, 'other', 'p')]
  expect(new Set(secrets).size).toBe(3)
})
