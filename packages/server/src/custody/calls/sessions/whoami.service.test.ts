import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody } from '@latchkey/testkit/custody'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../../keys/createApiKeyPair.ts'

const custody = await startTestCustody()
const user = await custody.createUser()
afterAll(() => custody.close())

const whoami = (organizationId: string, key = user.key) => custody.call('query/whoami', { organizationId }, key)

test('returns organization, user and address', async () => {
  expect(await whoami(user.orgId)).toEqual({
    status: 200,
    body: {
      organizationId: user.orgId,
      organizationName: 'User',
      userId: user.userId,
      username: 'User',
      address: user.address,
    },
  })
})

test('signs the account for a body with path and time', async () => {
  const passkey = createAuthenticator()
  const other = await custody.createUser({ passkeys: [passkey.register()] })
  const path = '/public/v1/query/whoami'
  const bound = { organizationId: other.orgId, path, timestampMs: String(custody.deps.now?.()) }
  const byKey = await custody.call('query/whoami', bound, other.key)
  const byPasskey = await custody.callByPasskey('query/whoami', bound, passkey)
  for (const [{ body }, credential] of [
    [byKey, other.key.publicKey],
    [byPasskey, passkey.credentialId],
  ] as const) {
    const { data, signature, signingKey } = body.account
    expect(signingKey).toBe(custody.bundleSigner)
    expect(p256.verify(Buffer.from(signature, 'hex'), Buffer.from(data), Buffer.from(signingKey, 'hex'))).toBe(true)
    const { orgId: organizationId, userId, address } = other
    expect(JSON.parse(data)).toEqual({ statement: 'account', credential, organizationId, userId, address })
  }
})

test('finds the sub-organization of a key through the parent', async () => {
  expect((await whoami(custody.rootOrganizationId)).body).toMatchObject({
    organizationId: user.orgId,
    userId: user.userId,
  })
})

test('refuses a key of two sub-organizations through the parent', async () => {
  const key = createApiKeyPair()
  const first = await custody.createUser({ key })
  await custody.createUser({ key })
  expect((await whoami(first.orgId, key)).body.organizationId).toBe(first.orgId)
  expect(await whoami(custody.rootOrganizationId, key)).toMatchObject({
    status: 401,
    body: {
      code: 16,
      message: 'more than one suborg associated with a public key',
      details: [{ turnkeyErrorCode: 'CREDENTIAL_CONFLICT' }],
    },
  })
})

test('ignores a deleted sub-organization when asked through the parent', async () => {
  const key = createApiKeyPair()
  const [ended, live] = [await custody.createUser({ key }), await custody.createUser({ key })]
  const deletion = { deleteWithoutExport: true }
  const request = custody.activity('ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION', ended.orgId, deletion)
  expect((await custody.call('submit/delete_sub_organization', request, key)).status).toBe(200)
  expect(await whoami(custody.rootOrganizationId, key)).toMatchObject({
    status: 200,
    body: { organizationId: live.orgId, userId: live.userId },
  })
  expect((await whoami(ended.orgId, key)).status).toBe(403)
})

test('finds nobody through the parent once a deletion is final', async () => {
  const own = createAuthenticator()
  const ended = await custody.createUser({ passkeys: [own.register()] })
  const deletion = { deleteWithoutExport: true }
  const request = custody.activity('ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION', ended.orgId, deletion)
  expect((await custody.call('submit/delete_sub_organization', request, ended.key)).status).toBe(200)
  const ask = () => custody.callByPasskey('query/whoami', { organizationId: custody.rootOrganizationId }, own)
  expect((await ask()).status).toBe(403)
  custody.advance(30 * 24 * 3_600_000)
  expect(await ask()).toMatchObject({ status: 401, body: { details: [{ turnkeyErrorCode: 'CREDENTIAL_NOT_FOUND' }] } })
})

test('refuses unknown and malformed organization ids', async () => {
  expect(await whoami(randomUUID())).toMatchObject({
    status: 404,
    body: { code: 5, details: [{ turnkeyErrorCode: 'ORGANIZATION_NOT_FOUND' }] },
  })
  expect(await whoami('no-uuid')).toMatchObject({
    status: 400,
    body: { code: 3, details: [{ turnkeyErrorCode: 'INVALID_ORGANIZATION_ID' }] },
  })
})
