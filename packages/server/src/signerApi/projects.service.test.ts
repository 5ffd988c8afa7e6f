import { randomUUID } from 'node:crypto'
import { createTestFrame, startTestSignerApi, testOrigin } from '@latchkey/testkit/signerApi'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../platform/crypto/createStamp.ts'

/** Two projects have separate users: `test` under the root organization and `bank` under another parent. */
const bankRoot = randomUUID()
const bankOrigin = 'https://bank.example'
const bank = { authorization: 'Bearer bank-api-key' }
const shop = { authorization: 'Bearer test-api-key' }

const { publicKey, privateKey } = await generateKeyPair('ES256')
const claims = new SignJWT({}).setProtectedHeader({ alg: 'ES256' }).setIssuer('https://id.bank.example')
const token = await claims.setAudience('wallet').setExpirationTime('5m').sign(privateKey)
const named = { id: 'bank', name: 'Bank', organizationId: bankRoot }
const jwks = { keys: [await exportJWK(publicKey)] }
const api = await startTestSignerApi({
  projects: [{ ...named, apiKey: 'bank-api-key', redirectUrls: [`${bankOrigin}/in`], allowedOrigins: [bankOrigin] }],
  jwt: [
    { projectId: 'bank', issuer: 'https://id.bank.example', audience: 'wallet', algorithms: ['ES256'], keys: { jwks } },
  ],
})
afterAll(() => api.close())

function stamped(path: string, body: string, key: createStamp.ApiKey) {
  return { stampedRequest: { body, stamp: createStamp(body, key), url: `https://api.turnkey.com${path}` } }
}

function whoami(organizationId: string, key: createStamp.ApiKey, headers: Record<string, string>) {
  return api.post('whoami', stamped(custodyPaths.whoami, JSON.stringify({ organizationId }), key), headers)
}

const signBody = (user: { orgId: string; address: string }) => JSON.stringify(api.custody.signing(user))

async function signUp(email: string, headers: Record<string, string>) {
  const frame = await createTestFrame()
  const { status, json } = await api.post('signup', { email, targetPublicKey: frame.targetPublicKey }, headers)
  expect(status).toBe(200)
  const link = api.readLink(email)
  const key = await frame.open(link.searchParams.get('bundle') ?? '')
  const user = (await whoami(json.orgId, key, headers)).json as { orgId: string; address: string }
  return { ...user, key, link }
}

test('keeps users of two projects with one address apart', async () => {
  const email = `${randomUUID()}@example.com`
  const atShop = await signUp(email, shop)
  expect((await api.post('lookup', { email }, bank)).json).toEqual({ orgId: null })
  const { targetPublicKey } = await createTestFrame()
  expect((await api.post('auth', { email, targetPublicKey }, bank)).json.code).toBe('NO_USER_FOUND')
  const atBank = await signUp(email, bank)
  expect(atBank.orgId).not.toBe(atShop.orgId)
  expect(atBank.address).not.toBe(atShop.address)
  expect((await api.post('lookup', { email }, bank)).json).toEqual({ orgId: atBank.orgId })
  expect((await api.post('lookup', { email }, shop)).json).toEqual({ orgId: atShop.orgId })
  expect([atShop.link.origin, atBank.link.origin]).toEqual([testOrigin, bankOrigin])
  expect(api.inbox.messages({ to: email }).map(({ subject }) => subject)).toEqual([
    'Sign in to Bank',
    'Sign in to Test app',
  ])
})

test("refuses whoami and signing with another project's key despite a valid stamp", async () => {
  const user = await signUp(`${randomUUID()}@example.com`, bank)
  const missing = { status: 404, json: { code: 'ORGANIZATION_NOT_FOUND' } }
  expect(await whoami(user.orgId, user.key, shop)).toMatchObject(missing)
  const body = signBody(user)
  const request = stamped(custodyPaths.signRawPayload, body, user.key)
  expect(await api.post('sign-payload', request, shop)).toMatchObject(missing)
  const activities = api.custody.store.db.selectFrom('activities').select('id').where('org_id', '=', user.orgId)
  expect(await activities.where('type', '=', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2').execute()).toEqual([])
  expect((await api.post('sign-payload', request, bank)).status).toBe(200)
})

test("accepts a project's token like its key, for that project only", async () => {
  const email = `${randomUUID()}@example.com`
  const { orgId } = await signUp(email, { authorization: `Bearer ${token}` })
  expect((await api.post('lookup', { email }, bank)).json).toEqual({ orgId })
  expect((await api.post('lookup', { email }, shop)).json).toEqual({ orgId: null })
  const forged = `${token.slice(0, -4)}AAAA`
  expect((await api.post('lookup', { email }, { authorization: `Bearer ${forged}` })).status).toBe(401)
})
