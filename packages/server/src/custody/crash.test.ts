import { hashMessage } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAuthenticator } from '../../../../test/authenticator.ts'
import {
  type Answer,
  linkTemplate,
  startTestCustody,
  type TestCustody,
  type TestUser,
  walletParameters,
} from '../../../../test/custody.ts'
import { newApiKey } from '../../../../test/custodyCalls.ts'
import { type CuttingProxy, startCuttingProxy } from '../../../../test/cuttingProxy.ts'
import { createTestExportFrame } from '../../../../test/exportFrame.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { createStamp } from '../keys/createStamp.ts'
import { openStore, type Store } from '../store/openStore.ts'
import { custodyApp } from './app.ts'
import { verifyLog } from './audit/verifyLog.ts'
import { readMacKey } from './macKey.ts'

/** The connection to the database is cut before and after each statement of a request, as a crash would. */
let custody: TestCustody
let proxy: CuttingProxy
let store: Store
let app: Awaited<ReturnType<typeof custodyApp>>
beforeAll(async () => {
  custody = await startTestCustody()
  proxy = await startCuttingProxy(custody.store.databaseUrl)
  store = await openStore({ databaseUrl: proxy.url, maxConnections: 2 })
  app = await custodyApp({ ...custody.deps, db: store.db })
})
afterAll(async () => {
  await store?.close()
  await proxy?.close()
  await custody?.close()
})

type Request = {
  path: string
  type: string
  orgId: string
  parameters: object
  key: ReturnType<typeof createApiKeyPair>
}

const requests: [name: string, make: () => Promise<Request>][] = [
  [
    'create_sub_organization',
    async () => ({
      path: 'create_sub_organization',
      type: 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7',
      orgId: custody.rootOrganizationId,
      key: custody.rootKey,
      parameters: {
        subOrganizationName: 'User',
        rootUsers: [
          {
            userName: 'User',
            userEmail: `${crypto.randomUUID()}@example.com`,
            apiKeys: [{ apiKeyName: 'key', publicKey: createApiKeyPair().publicKey }],
            authenticators: [{ authenticatorName: 'passkey', ...createAuthenticator().register() }],
            oauthProviders: [],
          },
        ],
        rootQuorumThreshold: 1,
        wallet: walletParameters,
      },
    }),
  ],
  [
    'email_auth',
    async () => {
      const { orgId, email } = await custody.createUser()
      const { targetPublicKey } = createTestExportFrame()
      return {
        path: 'email_auth',
        type: 'ACTIVITY_TYPE_EMAIL_AUTH_V2',
        orgId,
        key: custody.rootKey,
        parameters: { email, targetPublicKey, emailCustomization: { magicLinkTemplate: linkTemplate } },
      }
    },
  ],
  [
    'sign_raw_payload',
    async () => {
      const { orgId, address, key } = await custody.createUser()
      return {
        path: 'sign_raw_payload',
        type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
        orgId,
        key,
        parameters: {
          signWith: address,
          payload: hashMessage('x'),
          encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
          hashFunction: 'HASH_FUNCTION_NO_OP',
        },
      }
    },
  ],
  byUser('create_authenticators', '_V2', ({ userId }) => ({
    userId,
    authenticators: [{ authenticatorName: 'passkey', ...createAuthenticator().register() }],
  })),
  byUser('create_api_keys', '_V2', ({ userId }) => ({ userId, apiKeys: [newApiKey().parameters] })),
  byUser('create_wallet', '', () => walletParameters),
  byUser('export_wallet_account', '', ({ address }) => ({
    address,
    targetPublicKey: createTestExportFrame().targetPublicKey,
  })),
  byUser('update_user', '', ({ userId }) => ({ userId, userName: 'Ada' })),
  byUser('stamp_login', '', () => ({ publicKey: createApiKeyPair().publicKey })),
  byUser('create_read_write_session', '_V2', () => ({ targetPublicKey: createTestExportFrame().targetPublicKey })),
  byUser('init_import_wallet', '', ({ userId }) => ({ userId })),
]

/** A call of a new user in their own organization. */
function byUser(
  path: string,
  version: string,
  parametersOf: (who: TestUser) => object,
): [name: string, make: () => Promise<Request>] {
  const make = async () => {
    const who = await custody.createUser()
    const type = `ACTIVITY_TYPE_${path.toUpperCase()}${version}`
    return { path, type, orgId: who.orgId, key: who.key, parameters: parametersOf(who) }
  }
  return [path, make]
}

test.each(requests)('behavior: %s: nothing partial is kept, and it can be sent again', async (_name, make) => {
  let cuts = 0
  for (const when of ['before', 'after'] as const) {
    for (let statement = 1; ; statement++) {
      expect(statement).toBeLessThan(100)
      const { path, type, orgId, parameters, key } = await make()
      const body = JSON.stringify(custody.activity(type, orgId, parameters))
      const send = () => submit(path, body, key)
      const before = await countRows()
      proxy.cutAt(statement, when)
      const answer = await send()
      if (!proxy.disarm()) {
        expect(answer.status).toBe(200)
        break
      }
      cuts++
      const after = await countRows()
      // All of it or none: the answer may be lost, and after a commit the whole is there.
      const isKept = after !== before
      if (when === 'before')
        expect([statement, answer.status === 200 ? '' : after]).toEqual([
          statement,
          answer.status === 200 ? '' : before,
        ])
      expect(await countHalves()).toEqual({ unlogged: 0, unfinished: 0, empty: 0 })
      const again = await send()
      expect([again.status, again.body.activity?.status]).toEqual([200, 'ACTIVITY_STATUS_COMPLETED'])
      if (isKept) expect(await countRows()).toBe(after)
    }
  }
  expect(cuts).toBeGreaterThan(4)
  const proof = await verifyLog(custody.store.db, await readMacKey(custody.store.db, custody.deps.keyEncryption))
  expect(proof.bad).toBeUndefined()
})

async function submit(path: string, body: string, key: Request['key']): Promise<Answer> {
  const { stampHeaderName, stampHeaderValue } = createStamp(body, key)
  const headers = { [stampHeaderName]: stampHeaderValue }
  const response = await app.request(`/public/v1/submit/${path}`, { method: 'POST', body, headers })
  return { status: response.status, body: await response.json() }
}

const tables = [
  'organizations',
  'users',
  'credentials',
  'wallets',
  'wallet_accounts',
  'activities',
  'activity_log',
  'import_targets',
  'mail_outbox',
]

async function countRows(): Promise<string> {
  const counts = tables.map((name) => `(select count(*) from ${name}) as ${name}`)
  const { rows } = await custody.store.pool.query(`select ${counts.join(', ')}`)
  return JSON.stringify(rows[0])
}

/** Activities without a log entry or an end, and sub-organizations without a user. */
async function countHalves(): Promise<Record<string, number>> {
  const { rows } = await custody.store.pool.query(`select
    (select count(*)::int from activities a where not exists (select from activity_log l where l.activity_id = a.id)) as unlogged,
    (select count(*)::int from activities where status <> 'ACTIVITY_STATUS_COMPLETED') as unfinished,
    (select count(*)::int from organizations o where not exists (select from users u where u.org_id = o.id)) as empty`)
  return rows[0]
}
