import { Turnkey } from '@turnkey/sdk-server'
import { expect } from 'vitest'
import type { createApiKeyPair } from '../../packages/server/src/keys/createApiKeyPair.ts'
import type { CustodyServer } from './startCustodyServer.ts'
import { test } from './worker.ts'

// Covers the SDK for app servers, and calls that custody does not support.

let custody: CustodyServer
test.beforeAll(({ custodyServer }) => {
  custody = custodyServer
})

let count = 0
/** Returns unique timestamps: custody treats equal activities in one millisecond as one activity. */
const now = () => String(Date.now() + ++count)

function connect({ publicKey, privateKey }: ReturnType<typeof createApiKeyPair>) {
  const keys = { apiPublicKey: publicKey, apiPrivateKey: privateKey }
  const sdk = new Turnkey({ apiBaseUrl: custody.url, ...keys, defaultOrganizationId: custody.rootOrganizationId })
  // biome-ignore lint/suspicious/noExplicitAny: calls by name.
  const client = sdk.apiClient() as unknown as Record<string, (input: any) => Promise<any>>
  return (call: string, organizationId: string, parameters: object) => {
    const method = client[call]
    if (!method) throw new TypeError(`The client has no ${call}.`)
    return method.call(client, { ...parameters, organizationId, timestampMs: now() })
  }
}

test('names each call that is not served', async () => {
  const { key, orgId } = await custody.createUser()
  const [user, parent] = [connect(key), connect(custody.rootKey)]
  const policy = { policyName: 'none', effect: 'EFFECT_DENY', condition: 'true', notes: '' }
  await expect(user('createPolicy', orgId, policy)).rejects.toThrow(/"create_policy" is not served: .*root users/)
  const account = { pathFormat: 'PATH_FORMAT_BIP32', path: "m/44'/501'/0'/0'", addressFormat: 'ADDRESS_FORMAT_SOLANA' }
  const accounts = [{ curve: 'CURVE_ED25519', ...account }]
  await expect(user('createWallet', orgId, { walletName: 'S', accounts })).rejects.toThrow(/CURVE_ED25519/)
  for (const otpType of ['OTP_TYPE_EMAIL', 'OTP_TYPE_SMS']) {
    const code = { otpType, contact: 'ann@example.com', appName: 'Test' }
    await expect(parent('initOtp', custody.rootOrganizationId, code)).rejects.toThrow(
      /"ACTIVITY_TYPE_INIT_OTP_V3" does not belong to this path. Use ACTIVITY_TYPE_INIT_OTP\./,
    )
  }
  const code = { otpId: orgId, encryptedOtpBundle: '00' }
  await expect(parent('verifyOtp', custody.rootOrganizationId, code)).rejects.toThrow(/Use ACTIVITY_TYPE_VERIFY_OTP\./)
  const login = { verificationToken: 'token', publicKey: '02'.padEnd(66, '0') }
  await expect(parent('otpLogin', custody.rootOrganizationId, login)).rejects.toThrow(
    /"otp_login" is not served: .*email_auth/,
  )
})
