import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import * as http6 from '@turnkey/http'
import * as http2 from '@turnkey/http-2.22'
import { describe, expect } from 'vitest'
import { createApiKeyPair } from '../../packages/server/src/keys/createApiKeyPair.ts'
import type { CustodyServer } from './startCustodyServer.ts'
import { test } from './worker.ts'

// Covers how published clients handle an activity that waits for a confirmation by e-mail.

let custody: CustodyServer
test.beforeAll(({ confirmingServer }) => {
  custody = confirmingServer
})

let count = 0
/** Returns unique timestamps: custody treats equal activities in one millisecond as one activity. */
const now = () => String(Date.now() + ++count)

const versions = [
  { name: '2.22.0', http: http2 as unknown as typeof http6 },
  { name: '6.6.0', http: http6 },
]

describe.each(versions)('@turnkey/http $name', ({ http: published }) => {
  type Activity = { id: string; status: string; failure?: { message: string } }
  // biome-ignore lint/suspicious/noExplicitAny: calls of two versions of a client.
  type Calls = Record<'createApiKeys' | 'getActivity', (input: any) => any>
  async function start() {
    const user = await custody.createUser()
    const stamper = new ApiKeyStamper({ apiPublicKey: user.key.publicKey, apiPrivateKey: user.key.privateKey })
    const client = new published.TurnkeyClient({ baseUrl: custody.url }, stamper)
    const spare = createApiKeyPair()
    const apiKeys = [{ apiKeyName: 'spare', publicKey: spare.publicKey, curveType: 'API_KEY_CURVE_P256' }]
    return {
      calls: client as unknown as Calls,
      client,
      organizationId: user.orgId,
      spare,
      request: {
        type: 'ACTIVITY_TYPE_CREATE_API_KEYS_V2',
        timestampMs: now(),
        organizationId: user.orgId,
        parameters: { userId: user.userId, apiKeys },
      },
    }
  }

  test('tells a caller that does not poll what the activity waits for', async () => {
    const { calls, organizationId, request } = await start()
    const { activity } = (await calls.createApiKeys(request)) as { activity: Activity }
    expect(activity).toMatchObject({
      status: 'ACTIVITY_STATUS_PENDING',
      result: {},
      failure: { message: expect.stringContaining('Check your email to confirm') },
    })
    expect(() => published.assertActivityCompleted(activity as never)).toThrow('ACTIVITY_STATUS_PENDING')
    await custody.decide(activity.id)
    const later = await calls.getActivity({ organizationId, activityId: activity.id })
    expect(later.activity).toMatchObject({
      status: 'ACTIVITY_STATUS_COMPLETED',
      result: { createApiKeysResult: { apiKeyIds: [expect.any(String)] } },
    })
    expect(later.activity.failure).toBeUndefined()
  })

  test('makes the poller throw when the person refuses', async () => {
    const { calls, client, organizationId, request, spare } = await start()
    async function requestFn(input: object) {
      const reply = await calls.createApiKeys(input)
      await custody.decide(reply.activity.id, 'refuse')
      return reply
    }
    const poll = published.createActivityPoller({ client, requestFn, refreshIntervalMs: 10 })
    await expect(poll(request)).rejects.toMatchObject({
      name: 'TurnkeyActivityError',
      activityStatus: 'ACTIVITY_STATUS_REJECTED',
    })
    const stamper = new ApiKeyStamper({ apiPublicKey: spare.publicKey, apiPrivateKey: spare.privateKey })
    const added = new published.TurnkeyClient({ baseUrl: custody.url }, stamper)
    await expect(added.getWhoami({ organizationId })).rejects.toThrow(/^Turnkey error 16: /)
  })
})
