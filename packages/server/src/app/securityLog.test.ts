import { randomBytes, randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { createCarefulProject } from '@latchkey/testkit/carefulProject'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { createTestFrame, startTestSignerApi, type TestSignerApi, testApiKey } from '@latchkey/testkit/signerApi'
import { custodyPaths } from 'latchkey/wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { framesApp } from '../frames/app.ts'
import { gatewayApp } from '../gateway/app.ts'
import { readSecurityCounters } from '../http/securityEvents.ts'
import { localServiceSigner } from '../keys/serviceSigner.ts'

// Secrets go through every role, where they belong and where they do not. None is in the log or in the counters' names.

const careful = createCarefulProject()
let api: TestSignerApi
beforeAll(async () => {
  api = await startTestSignerApi({ projects: [careful] })
})
afterAll(() => api?.close())
const { submit, addKeys } = custodyCalls(() => api.custody)

type Fetches = { request(path: string, init?: RequestInit): Response | Promise<Response> }

/** Each secret in the path, the query, headers and body. */
async function plant({ request }: Fetches, paths: readonly string[], secrets: readonly string[]): Promise<void> {
  for (const secret of secrets)
    for (const path of paths) {
      const rpc = { jsonrpc: '2.0', id: secret.slice(0, 200), method: secret.slice(0, 128), params: [secret] }
      const headers = [{ authorization: `Bearer ${secret}` }, { authorization: `Bearer ${testApiKey}`, origin: secret }]
      for (const each of [...headers, { 'x-stamp': secret, 'x-request-id': '?' }])
        for (const body of [secret, JSON.stringify({ ...rpc, email: secret, otpCode: secret, bundle: secret })])
          await request(`${path}?${new URLSearchParams({ secret })}`, { method: 'POST', headers: each, body })
    }
}

async function signInByMail(email: string): Promise<{ code: string; bundle: string }> {
  const frame = await createTestFrame()
  const { json } = await api.post('signup', { email, targetPublicKey: frame.targetPublicKey, redirectParams: 'keep=1' })
  await expect.poll(() => api.inbox.messages({ to: email }).length, { timeout: 30_000 }).toBeGreaterThan(0)
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

/** Asks for an export, opens the link of the mail, and exports. */
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
  expect((await custody.decide(body.activity.id)).status).toBe(200)
  const read = await custody.call(
    'query/get_activity',
    { organizationId: user.orgId, activityId: body.activity.id },
    user.key,
  )
  const { exportBundle } = read.body.activity.result.exportWalletAccountResult
  const opened = await frame.open(exportBundle, { signer: custody.bundleSigner, organizationId: user.orgId })
  await addKeys(user, [newApiKey().parameters])
  return { user, secret, exportBundle: exportBundle as string, exported: Buffer.from(opened).toString('hex') }
}

test('default: no secret and no address is in the log', async () => {
  const { custody } = api
  const email = `${randomUUID()}@people.example`
  const mailed = await signInByMail(email)
  const { user, secret, exportBundle, exported } = await confirmExport()
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
    'secret of a confirmation': secret,
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

  const log = custody.logs.join('\n')
  expect(custody.logs.length).toBeGreaterThan(before)
  for (const event of ['wrong_code', 'bad_stamp', 'refused', 'exported', 'confirmation_given'])
    expect(log, event).toContain(`"event":"${event}"`)
  const counters = JSON.stringify([...readSecurityCounters()])
  for (const [name, value] of Object.entries(secrets))
    for (const form of [value, encodeURIComponent(value), Buffer.from(value).toString('base64')])
      expect((log + counters).includes(form), name).toBe(false)
})
