import { randomBytes, randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { createCarefulProject } from '@latchkey/testkit/carefulProject'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { setEnvironment } from '@latchkey/testkit/setEnvironment'
import { createTestFrame, startTestSignerApi, testApiKey } from '@latchkey/testkit/signerApi'
import { startTraceCollector } from '@latchkey/testkit/traceCollector'
import { startWebhookReceiver } from '@latchkey/testkit/webhookReceiver'
import { custodyPaths, webhookTypes } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { framesApp } from '../frames/app.ts'
import { gatewayApp } from '../gateway/app.ts'
import { localServiceSigner } from '../keys/serviceSigner.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { machineClock } from '../platform/database/devnetClock.ts'
import { openStore } from '../platform/database/openStore.ts'
import { toServerError } from '../platform/http/errorResponse.ts'
import { respondWithMetrics } from '../platform/observability/metrics.ts'
import { startTracing } from '../platform/observability/tracing.ts'
import { startWebhooks } from '../webhooks/startWebhooks.ts'

// The tests send secrets to every role, in correct and incorrect places; none may reach logs, metrics, traces, errors
// or webhooks.

const secretName = 'LATCHKEY_WEBHOOK_SECRET_APP'
const endpoint = { id: 'main', url: '', events: [...webhookTypes], secret: secretName }
const careful = { ...createCarefulProject(), webhooks: [endpoint] }
let restore: () => void
let endTracing: () => Promise<void>
const collector = await startTraceCollector()
restore = setEnvironment({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_BSP_SCHEDULE_DELAY: '60000',
  OTEL_BSP_MAX_QUEUE_SIZE: '100000',
})
endTracing = await startTracing()
const receiver = await startWebhookReceiver()
endpoint.url = receiver.url
const api = await startTestSignerApi({ projects: [careful] })
const webhookConfig = { projects: [careful], secrets: { [secretName]: receiver.secret } }
const webhooks = startWebhooks({
  store: { db: (await api.custody.openAs('webhooks')).db },
  logger: api.custody.deps.logger,
  readConfig: () => webhookConfig,
  mode: 'development',
  clock: machineClock,
  pollMs: 50,
})
afterAll(async () => {
  await webhooks.close()
  await api.close()
  await receiver.close()
  await collector.close()
  restore?.()
})
const { submit, addKeys } = custodyCalls(() => api.custody)

type Fetches = { request(path: string, init?: RequestInit): Response | Promise<Response> }

const responses: string[] = []

async function plant({ request }: Fetches, paths: readonly string[], secrets: readonly string[]): Promise<void> {
  for (const secret of secrets)
    for (const path of paths) {
      const rpc = { jsonrpc: '2.0', id: 1, method: secret.slice(0, 128), params: [secret] }
      const headers = [{ authorization: `Bearer ${secret}` }, { authorization: `Bearer ${testApiKey}`, origin: secret }]
      for (const each of [...headers, { 'x-stamp': secret, 'x-request-id': '?' }])
        for (const body of [secret, JSON.stringify({ ...rpc, email: secret, otpCode: secret, bundle: secret })]) {
          const query = `${path}?${new URLSearchParams({ secret })}`
          const response = await request(query, { method: 'POST', headers: each, body })
          responses.push(`${JSON.stringify([...response.headers])} ${await response.text()}`)
        }
    }
}

async function signInByMail(email: string): Promise<{ code: string; bundle: string }> {
  const frame = await createTestFrame()
  const { json } = await api.post('signup', { email, targetPublicKey: frame.targetPublicKey, redirectParams: 'keep=1' })
  await expect.poll(() => api.inbox.messages({ to: email }).length).toBeGreaterThan(0)
  const code = api.readCode(email)
  const bundle = api.readLink(email).searchParams.get('bundle') ?? ''
  const guess = { otpId: json.otpId, otpCode: code.replace(/./g, '0'), targetPublicKey: frame.targetPublicKey }
  for (const otpCode of [guess.otpCode, code]) {
    const { custody } = api
    const body = JSON.stringify(custody.activity('ACTIVITY_TYPE_OTP_AUTH', json.orgId, { ...guess, otpCode }))
    await custody.send(custodyPaths.otpAuth, body)
  }
  return { code, bundle }
}

async function confirmExport() {
  const { custody } = api
  const user = await custody.createUser({
    rootOrganizationId: careful.organizationId,
    passkeys: [createAuthenticator().register()],
  })
  const frame = createTestExportFrame()
  const request = { address: user.address, targetPublicKey: frame.targetPublicKey }
  const { body } = await submit('export_wallet_account', user, request)
  const { content } = await custody.readQueued(body.activity.id, 'confirm')
  const secret = new URL(('link' in content && content.link) || '').hash.slice(1)
  const exported = async (activityId: string) => {
    const { exportBundle } = (await custody.decide(activityId)).body.confirmation as { exportBundle: string }
    const expected = { signer: custody.bundleSigner, organizationId: user.orgId }
    return { exportBundle, opened: Buffer.from(await custody.confirmationPage.open(exportBundle, expected)) }
  }
  const key = await exported(body.activity.id)
  const { body: wallets } = await custody.call('query/list_wallets', { organizationId: user.orgId }, user.key)
  const walletId: string = wallets.wallets[0].walletId
  const asked = await submit('export_wallet', user, { walletId, targetPublicKey: frame.targetPublicKey })
  const phrase = (await exported(asked.body.activity.id)).opened.toString('utf8')
  expect(phrase.split(' ').length).toBeGreaterThanOrEqual(12)
  const added = await addKeys(user, [newApiKey().parameters])
  expect((await custody.decide(added.body.activity.id)).status).toBe(200)
  return { phrase, user, secret, exportBundle: key.exportBundle, exported: key.opened.toString('hex') }
}

test('keeps secrets and addresses out of logs, metrics, traces, errors and webhooks', async () => {
  const { custody } = api
  const email = `${randomUUID()}@people.example`
  const mailed = await signInByMail(email)
  // The mail role is stopped, so that the test can read confirmation mails from the queue.
  await api.stopMail()
  const { user, secret, exportBundle, exported, phrase } = await confirmExport()
  await api.startMail()
  const part = () => randomBytes(48).toString('base64url')
  const secrets = {
    'API key': testApiKey,
    'unknown API key': `lk_${part()}`,
    JWT: `eyJhbGciOiJFUzI1NiJ9.${part()}.${part()}`,
    address: email,
    'address of a user': user.email,
    code: mailed.code,
    bundle: mailed.bundle,
    'export bundle': exportBundle,
    'private key': user.key.privateKey,
    'exported key': exported,
    'seed phrase': phrase,
    'secret of a confirmation': secret,
    'database password': new URL(custody.store.databaseUrl).password,
    'secret of a webhook': receiver.secret,
    'key-encryption key': custody.keyEncryptionKey,
    'mail seal key': Buffer.from(custody.deps.mailSealKey).toString('hex'),
    'private key of the parent': custody.rootKey.privateKey,
    stamp: createStamp('{}', user.key).stampHeaderValue,
  }
  const dead = ['http://127.0.0.1:1']
  const gateway = gatewayApp({
    db: custody.store.db,
    logger: custody.deps.logger,
    chains: [{ chainId: 1, nodeUrls: dead, bundlerUrls: dead }],
    signer: localServiceSigner({ key: `0x${'11'.repeat(32)}` }),
  })
  const frames = await framesApp({ page: 'auth', projects: [], logger: custody.deps.logger })
  const planted = Object.values(secrets)
  const before = custody.logs.length
  await plant(custody.app as Fetches, ['/public/v1/query/whoami', custodyPaths.otpAuth], planted)
  await plant(custody.app as Fetches, [custodyPaths.readConfirmation, custodyPaths.decideConfirmation], planted)
  await plant(api.app as Fetches, ['/signer/v1/signup', '/signer/v1/auth', '/signer/v1/whoami'], planted)
  await plant(frames as Fetches, ['/', '/index.html'], planted)
  for (const each of planted) await plant(gateway as Fetches, ['/v2', `/1/v2/${encodeURIComponent(each)}`], [each])

  // Causes database errors: invalid values, and an unreachable database whose URL has a password.
  for (const each of planted) {
    await custody.store.db
      .selectFrom('users')
      .select('id')
      .where('id', '=', each)
      .execute()
      .catch((error: unknown) => toServerError(error, custody.deps.logger))
  }
  const away = new URL(custody.store.databaseUrl)
  away.port = '1'
  await openStore({ databaseUrl: away.href }).catch((error: unknown) => toServerError(error, custody.deps.logger))
  const told = () => receiver.received.map(({ headers, body }) => JSON.stringify(headers) + body).join('\n')
  for (const type of ['user.created', 'credential.added', 'wallet.exported']) await expect.poll(told).toContain(type)
  await webhooks.close()
  await endTracing()

  const log = custody.logs.join('\n')
  const hooks = told()
  // Timestamps are removed, since the nanoseconds of thousands of spans may contain a nine-digit code by chance.
  const traces = collector.text().replaceAll(/"\w*UnixNano":"\d+"/g, '')
  expect(collector.spans.length).toBeGreaterThan(100)
  for (const role of ['custody', 'signer-api', 'gateway', 'frames'])
    expect(collector.text(), role).toContain(`{"stringValue":"${role}"}`)
  expect(log).toContain('invalid input syntax')
  expect(log).toContain('PostgreSQL at')
  expect(custody.logs.length).toBeGreaterThan(before)
  for (const event of ['wrong_code', 'bad_stamp', 'refused', 'exported', 'confirmation_given'])
    expect(log, event).toContain(`"event":"${event}"`)
  const figures = await (await respondWithMetrics(new Request('http://localhost/metrics'))).text()
  for (const role of ['custody', 'signer-api', 'gateway', 'frames'])
    expect(figures, role).toContain(`latchkey_requests_total{role="${role}",method="POST",`)
  expect(figures).toMatch(/latchkey_mails_total\{outcome="sent"\} [1-9]/)
  expect(figures).toMatch(/latchkey_mails_waiting \d/)
  expect(figures).toContain('latchkey_security_events_total{event="wrong_code"}')
  expect(figures).toContain('latchkey_errors_total{code="OTP_INVALID"}')
  expect(figures).not.toContain(user.orgId)
  for (const [name, value] of Object.entries(secrets))
    for (const form of [value, encodeURIComponent(value), Buffer.from(value).toString('base64')])
      for (const [place, text] of Object.entries({ log, figures, traces, hooks, errors: responses.join('\n') }))
        expect(text.includes(form), `${name} in ${place}`).toBe(false)
})
