import { createOwner, question, submission, submitExamples } from '@latchkey/testkit/custodyExamples'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import * as http6 from '@turnkey/http'
import * as http2 from '@turnkey/http-2.22'
import { describe, expect } from 'vitest'
import { queries, submits } from '../../packages/server/src/custody/calls/table.ts'
import type { createApiKeyPair } from '../../packages/server/src/keys/createApiKeyPair.ts'
import { readTypes } from './readTypes.ts'
import type { CustodyServer } from './startCustodyServer.ts'
import { test } from './worker.ts'

// Makes every call with each published client that supports it. Request and response must match the client's types.

let custody: CustodyServer
test.beforeAll(({ custodyServer }) => {
  custody = custodyServer
})

const versions = [
  { name: '2.22.0', published: http2 as unknown as typeof http6, types: readTypes('@turnkey/http-2.22') },
  { name: '6.6.0', published: http6, types: readTypes('@turnkey/http') },
]

/** Members of Latchkey's responses that the latest types lack. Clients ignore them. */
const more: Record<string, string[]> = {
  whoami: ['v1GetWhoamiResponse.address'],
  email_auth: ['v1EmailAuthResult.otpId', 'v1EmailAuthResult.otpLength'],
  create_sub_organization: ['v1CreateSubOrganizationResultV8.account'],
}
/** Calls that no published client supports. */
const factors = ['create_multi_factor', 'activate_multi_factor', 'delete_multi_factors']
const ours = [
  'cancel_deletion',
  'note_move_failure',
  'set_spending_rules',
  'get_spending_rules',
  'get_multi_factors',
  'list_multi_factors_by_word',
  ...factors,
  ...factors.map((call) => `${call}_by_word`),
]
/** Calls that 6.6.0 makes only in later forms; see `calls.test.ts`. Account Kit 4.88.5 makes the supported forms. */
const otherForms = ['init_otp', 'verify_otp']
const missing: Record<string, string[]> = {
  '2.22.0': ['stamp_login', 'oauth_login', 'update_user_email', 'update_user_name', ...otherForms, ...ours],
  '6.6.0': [...otherForms, ...ours],
}

describe.each(versions)('@turnkey/http $name', ({ name, published, types }) => {
  const paths = [
    ...Object.keys(queries).map((call) => `/public/v1/query/${call}`),
    ...Object.keys(submits).map((call) => `/public/v1/submit/${call}`),
  ].filter((path) => !missing[name]?.some((call) => path.endsWith(`/${call}`)))

  test.each(paths)('matches the published types on %s', async (path) => {
    const call = path.split('/').at(-1) ?? ''
    const example = submitExamples[call]
    const owner = await createOwner(custody, example?.threshold)
    const type = types.findType(path)
    const write = call in submits ? submission : question
    const body = { ...(await write(custody, owner, call)), ...(type !== undefined && { type }) }
    expect(types.check(path, 'request', body).wrong).toEqual([])

    const answer = await send(path, body, example?.by === 'parent' ? custody.rootKey : owner.key)
    const { wrong, unknown } = types.check(path, 'response', answer)
    expect(wrong).toEqual([])
    if (published === http6) expect([...new Set(unknown)]).toEqual(more[call] ?? [])
    if (call in submits) expect(answer).toMatchObject({ activity: { status: 'ACTIVITY_STATUS_COMPLETED', type } })
  })

  async function send(path: string, body: object, key: ReturnType<typeof createApiKeyPair>): Promise<unknown> {
    const stamper = new ApiKeyStamper({ apiPublicKey: key.publicKey, apiPrivateKey: key.privateKey })
    const client = new published.TurnkeyClient({ baseUrl: custody.url }, stamper)
    const methods = Object.values(client) as unknown[]
    const calls = (method: unknown): method is (body: object) => Promise<unknown> =>
      typeof method === 'function' && new RegExp(`request\\("${path}"`).test(String(method))
    const method = methods.find(calls)
    if (!method) throw new TypeError(`This version has no method that calls ${path}.`)
    return method(body)
  }
})
