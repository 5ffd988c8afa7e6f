import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import * as http6 from '@turnkey/http'
import * as http2 from '@turnkey/http-2.22'
import { Turnkey } from '@turnkey/sdk-server'
import { describe, expect } from 'vitest'
import type { createApiKeyPair } from '../../packages/server/src/keys/createApiKeyPair.ts'
import type { CustodyServer } from './startCustodyServer.ts'
import { test } from './worker.ts'

// The calls that servers of apps make beside those of a sign-in, by three published clients of the wire.

let custody: CustodyServer
test.beforeAll(({ custodyServer }) => {
  custody = custodyServer
})

type ApiKey = ReturnType<typeof createApiKeyPair>
// biome-ignore lint/suspicious/noExplicitAny: calls by name, of three clients.
type Calls = Record<string, (input: any) => Promise<any>>

let count = 0
/** Two activities of one millisecond would be one and the same. */
const now = () => String(Date.now() + ++count)

/** The two versions of the HTTP client take whole requests, the server SDK their parameters. */
const clients = [
  { name: '@turnkey/http 2.22.0', connect: (key: ApiKey) => connectHttp(http2 as unknown as typeof http6, key) },
  { name: '@turnkey/http 6.6.0', connect: (key: ApiKey) => connectHttp(http6, key) },
  { name: '@turnkey/sdk-server 8.2.1', connect: connectServer },
]

type Connected = {
  ask(call: string, query: object): Promise<Record<string, unknown>>
  run(call: string, type: string, organizationId: string, parameters: object): Promise<Record<string, unknown>>
}

function connectHttp(published: typeof http6, { publicKey, privateKey }: ApiKey): Connected {
  const stamper = new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey })
  const client = new published.TurnkeyClient({ baseUrl: custody.url }, stamper) as unknown as Calls
  return {
    ask: (call, query) => callByName(client, call, query),
    async run(call, type, organizationId, parameters) {
      const { activity } = await callByName(client, call, { type, timestampMs: now(), organizationId, parameters })
      return Object.values(activity.result)[0] as Record<string, unknown>
    },
  }
}

function connectServer({ publicKey, privateKey }: ApiKey): Connected {
  const keys = { apiPublicKey: publicKey, apiPrivateKey: privateKey }
  const sdk = new Turnkey({ apiBaseUrl: custody.url, ...keys, defaultOrganizationId: custody.rootOrganizationId })
  const client = sdk.apiClient() as unknown as Calls
  return {
    ask: (call, query) => callByName(client, call, query),
    run: (call, _type, organizationId, parameters) =>
      callByName(client, call, { ...parameters, organizationId, timestampMs: now() }),
  }
}

function callByName(client: Calls, call: string, input: object) {
  const method = client[call]
  if (!method) throw new TypeError(`The client has no ${call}.`)
  return method.call(client, input)
}

describe.each(clients)('$name', ({ name, connect }) => {
  test('error: what stays out says so by name', async () => {
    const { key, orgId: organizationId } = await custody.createUser()
    const [user, parent] = [connect(key), connect(custody.rootKey)]
    const policy = { policyName: 'none', effect: 'EFFECT_DENY', condition: 'true', notes: '' }
    await expect(user.run('createPolicy', 'ACTIVITY_TYPE_CREATE_POLICY_V3', organizationId, policy)).rejects.toThrow(
      /"create_policy" is not served: .*root users/,
    )
    const accounts = [
      {
        curve: 'CURVE_ED25519',
        pathFormat: 'PATH_FORMAT_BIP32',
        path: "m/44'/501'/0'/0'",
        addressFormat: 'ADDRESS_FORMAT_SOLANA',
      },
    ]
    await expect(
      user.run('createWallet', 'ACTIVITY_TYPE_CREATE_WALLET', organizationId, { walletName: 'S', accounts }),
    ).rejects.toThrow(/CURVE_ED25519/)
    if (name.endsWith('2.22.0')) return
    for (const otpType of ['OTP_TYPE_EMAIL', 'OTP_TYPE_SMS'])
      await expect(
        parent.run('initOtp', 'ACTIVITY_TYPE_INIT_OTP_V3', custody.rootOrganizationId, {
          otpType,
          contact: 'ann@example.com',
          appName: 'Test',
        }),
      ).rejects.toThrow(/"ACTIVITY_TYPE_INIT_OTP_V3" does not belong to this path. Use ACTIVITY_TYPE_INIT_OTP\./)
    const code = { otpId: organizationId, encryptedOtpBundle: '00' }
    await expect(
      parent.run('verifyOtp', 'ACTIVITY_TYPE_VERIFY_OTP_V2', custody.rootOrganizationId, code),
    ).rejects.toThrow(/Use ACTIVITY_TYPE_VERIFY_OTP\./)
    const login = { verificationToken: 'token', publicKey: '02'.padEnd(66, '0') }
    await expect(parent.run('otpLogin', 'ACTIVITY_TYPE_OTP_LOGIN', custody.rootOrganizationId, login)).rejects.toThrow(
      /"otp_login" is not served: .*email_auth/,
    )
  })
})
