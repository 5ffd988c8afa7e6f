import { randomUUID } from 'node:crypto'
import { createAuthenticator, type TestAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody } from '@latchkey/testkit/custody'
import { afterAll, expect, test } from 'vitest'
import { createStamp } from '../../platform/crypto/createStamp.ts'
import { upsertProject } from '../../store/upsertProject.ts'
import { custodyApp } from '../app.ts'

/** There are two projects, each with its own parent organization. */
type CustodyApp = Awaited<ReturnType<typeof custodyApp>>

const otherRoot = randomUUID()
const other = {
  id: 'other',
  name: 'Other',
  apiKey: 'other-api-key',
  redirectUrls: ['https://other.example/'],
  allowedOrigins: ['https://other.example'],
  organizationId: otherRoot,
}
const custody = await startTestCustody()
await upsertProject(custody.store.db, other)
const app = await custodyApp({ ...custody.deps, projects: [...(custody.deps.projects ?? []), other] })
afterAll(() => custody.close())

const here = () => createAuthenticator()
const there = () => createAuthenticator({ origin: 'https://other.example', rpId: 'other.example' })

async function post(path: string, body: string, headers: Record<string, string>) {
  const response = await app.request(`/public/v1/${path}`, { method: 'POST', body, headers })
  // biome-ignore lint/suspicious/noExplicitAny: responses of many shapes.
  return { status: response.status, body: (await response.json()) as any }
}

function signUp(rootOrgId: string, passkey: TestAuthenticator) {
  const authenticators = [{ authenticatorName: 'passkey', ...passkey.register() }]
  const request = custody.activity('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', rootOrgId, {
    subOrganizationName: 'User',
    rootUsers: [{ userName: 'User', apiKeys: [], authenticators, oauthProviders: [] }],
    rootQuorumThreshold: 1,
  })
  const body = JSON.stringify(request)
  return post('submit/create_sub_organization', body, {
    'x-stamp': createStamp(body, custody.rootKey).stampHeaderValue,
  })
}

function whoami(organizationId: string, passkey: TestAuthenticator, origin?: string) {
  const body = JSON.stringify({ organizationId })
  return post('query/whoami', body, { 'x-stamp-webauthn': passkey.stamp(body, origin ? { origin } : {}) })
}

test("accepts the origins of a parent's own projects", async () => {
  for (const [rootOrgId, passkey] of [
    [custody.rootOrganizationId, here()],
    [otherRoot, there()],
  ] as const) {
    const { status, body } = await signUp(rootOrgId, passkey)
    expect(status).toBe(200)
    const orgId = body.activity.result.createSubOrganizationResultV7.subOrganizationId
    expect(await whoami(rootOrgId, passkey)).toMatchObject({ status: 200, body: { organizationId: orgId } })
  }
})

test("refuses to sign up with a passkey of another parent's origin", async () => {
  for (const [rootOrgId, passkey] of [
    [custody.rootOrganizationId, there()],
    [otherRoot, here()],
  ] as const)
    expect((await signUp(rootOrgId, passkey)).status).toBe(400)
})

test("refuses a passkey on another project's origin or under another parent", async () => {
  const passkey = there()
  expect((await signUp(otherRoot, passkey)).status).toBe(200)
  expect((await whoami(otherRoot, passkey, 'http://localhost:4100')).status).toBe(401)
  expect((await whoami(custody.rootOrganizationId, passkey)).status).toBe(401)
  expect((await whoami(otherRoot, passkey)).status).toBe(200)
})

test('ignores a project that the server was not started with', async () => {
  const passkey = there()
  expect((await signUp(otherRoot, passkey)).status).toBe(200)
  const body = JSON.stringify({ organizationId: otherRoot })
  const ask = async (copy: CustodyApp) => {
    const stamped = { origin: 'https://other.example', 'x-stamp-webauthn': passkey.stamp(body) }
    const answer = await copy.request('/public/v1/query/whoami', { method: 'POST', body, headers: stamped })
    return [answer.status, answer.headers.get('access-control-allow-origin')]
  }
  expect(await ask(app)).toEqual([200, 'https://other.example'])
  expect(await ask(await custody.startCopy())).toEqual([401, null])
  expect(await ask(app)).toEqual([200, 'https://other.example'])
})

test('refuses a root organization id used by a sub-organization', async () => {
  const user = await custody.createUser()
  const projects = [{ ...other, organizationId: user.orgId }]
  await expect(custodyApp({ ...custody.deps, projects })).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
})
