import { type Listening, listen, readBody } from '@latchkey/testkit/signer/listen'
import { vectors } from '@latchkey/testkit/signer/vectors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Endpoints, SignerConnection } from '../../types.ts'
import { createClock } from './createClock.ts'
import { createSignerApi } from './createSignerApi.ts'

const { capturedTraffic } = vectors
const orgId = '6e7bff6b-f957-443b-9e8b-969f20a823f7'
const address = '0xfD46cf95D433463a641f8E5c55Eb45B7AAFa0490'
const payload = '0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750'
const user = { email: 'user@example.com', orgId, userId: 'u', address } as const

let server: Listening
let seen: { path: string | undefined; body: string; authorization: string | undefined }[]
let next: { status: number; text: string }

beforeEach(async () => {
  seen = []
  server = await listen(async (request, response) => {
    seen.push({ path: request.url, body: await readBody(request), authorization: request.headers.authorization })
    response.writeHead(next.status, { 'content-type': 'application/json' }).end(next.text)
  })
})
afterEach(() => server.close())

const custodyApi = { finish: async () => undefined }
const trust = { checkAccount: async () => undefined }

function client(connection: SignerConnection = { apiKey: 'test-api-key' }, readsPayloads = false) {
  const endpoints: Endpoints = {
    signerApiUrl: server.url,
    getConfig: async () => ({
      custodyUrl: 'https://api.turnkey.com/',
      authFrameUrl: 'https://auth.turnkey.com',
      exportFrameUrl: 'https://export.turnkey.com',
      importFrameUrl: 'https://import.turnkey.com',
      rootOrgId: 'root',
      readsPayloads,
    }),
  }
  return createSignerApi({ connection, endpoints, clock: createClock(() => 1795246306684), trust, custodyApi })
}
const stamp = async () => ({ stampHeaderName: 'X-Stamp', stampHeaderValue: 'eyJwdWJsaWNLZXki' })
const reply = (body: unknown, status = 200) => {
  next = { status, text: typeof body === 'string' ? body : JSON.stringify(body) }
}

test('sends the captured stamped requests', async () => {
  reply({ ...user, extra: 'not kept' })
  expect(await client().whoami(orgId, stamp)).toEqual(user)
  reply({ signature: `0x${'ab'.repeat(65)}` })
  expect(await client().signPayload(user, { hash: payload }, stamp)).toBe(`0x${'ab'.repeat(65)}`)
  expect(seen.map(({ body }) => body)).toEqual([capturedTraffic.whoami, capturedTraffic.signPayload])
  expect(seen.map(({ path }) => path)).toEqual(['/signer/v1/whoami', '/signer/v1/sign-payload'])
})

test('sends content only to a service that reads it', async () => {
  const content = { encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP', payload: '{}' } as const
  reply({ signature: `0x${'ab'.repeat(65)}` })
  await client().signPayload(user, { hash: payload, content }, stamp)
  await client(undefined, true).signPayload(user, { hash: payload, content }, stamp)
  await client(undefined, true).signPayload(user, { hash: payload }, stamp)
  const sent = seen.map(({ body }) => JSON.parse(JSON.parse(body).stampedRequest.body).parameters.encoding)
  expect(sent).toEqual(['PAYLOAD_ENCODING_HEXADECIMAL', content.encoding, 'PAYLOAD_ENCODING_HEXADECIMAL'])
})

test('returns null for an unknown user in every form of the service', async () => {
  for (const body of [{ orgId: null }, {}]) {
    reply(body)
    expect(await client().lookup('user@example.com')).toBeNull()
  }
  reply({ orgId })
  expect(await client().lookup('user@example.com')).toBe(orgId)
  expect(seen[0]?.body).toBe(capturedTraffic.lookup)
})

test('omits undefined members and keeps the documented order', async () => {
  reply({ orgId })
  await client().auth({ targetPublicKey: '04', email: 'a@x.com' })
  await client().signup({ redirectParams: 'a=1', expirationSeconds: 900, targetPublicKey: '04', email: 'a@x.com' })
  expect(seen.map(({ body }) => body)).toEqual([
    '{"email":"a@x.com","targetPublicKey":"04"}',
    '{"email":"a@x.com","targetPublicKey":"04","expirationSeconds":900,"redirectParams":"a=1"}',
  ])
})

test('accepts apiKey, jwt and rpcUrl', async () => {
  reply({})
  await client({ apiKey: 'key', jwt: 'jwt' }).lookup('a@x.com')
  await client({ jwt: 'jwt' }).lookup('a@x.com')
  await client({ rpcUrl: `${server.url}/base/` }).lookup('a@x.com')
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer key', 'Bearer jwt', undefined])
  expect(seen[2]?.path).toBe('/base/signer/v1/lookup')
})

test('refuses responses of another shape', async () => {
  const wrong = { code: 'RESPONSE_INVALID' }
  for (const body of [null, {}, { orgId: 5 }]) {
    reply(body)
    await expect(client().signup({ email: 'a@x.com', targetPublicKey: '04' })).rejects.toMatchObject(wrong)
  }
  for (const body of [null, {}, { ...user, address: '0x12' }, { ...user, orgId: '' }]) {
    reply(body)
    await expect(client().whoami(orgId, stamp)).rejects.toMatchObject(wrong)
  }
  for (const signature of [undefined, '0x', `0x${'ab'.repeat(64)}`, 'ab'.repeat(65)]) {
    reply({ signature })
    await expect(client().signPayload(user, { hash: payload }, stamp)).rejects.toMatchObject(wrong)
  }
  reply('<html>')
  await expect(client().lookup('a@x.com')).rejects.toMatchObject(wrong)
})
