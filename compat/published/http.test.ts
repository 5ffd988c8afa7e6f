import { randomUUID } from 'node:crypto'
import { walletParameters } from '@latchkey/testkit/custody'
import { ApiKeyStamper } from '@turnkey/api-key-stamper'
import {
  decryptExportBundle,
  encryptPrivateKeyToBundle,
  encryptWalletToBundle,
  generateP256KeyPair,
  verifySessionJwtSignature,
} from '@turnkey/crypto'
import * as http6 from '@turnkey/http'
import * as http2 from '@turnkey/http-2.22'
import type { Hex } from 'viem'
import { beforeAll, describe, expect } from 'vitest'
import { createApiKeyPair } from '../../packages/server/src/keys/createApiKeyPair.ts'
import type { CustodyServer } from './startCustodyServer.ts'
import { test } from './worker.ts'

// Runs unmodified published clients against the server over HTTP.

type ApiKey = ReturnType<typeof createApiKeyPair>

let unconfirmed: CustodyServer
let confirming: CustodyServer
test.beforeAll(({ custodyServer, confirmingServer }) => {
  unconfirmed = custodyServer
  confirming = confirmingServer
})

const junk = 'test test test test test test test test test test test junk'
const junkAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const junkKey = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

let count = 0
/** Returns unique timestamps: custody treats equal activities in one millisecond as one activity. */
const now = () => String(Date.now() + ++count)

/** Oldest version without confirmations, and newest version with confirmations. */
const cases = [
  { name: '2.22.0', http: http2 as unknown as typeof http6, subOrganization: 'V7', confirmations: 'none' },
  { name: '6.6.0', http: http6, subOrganization: 'V8', confirmations: 'mail' },
] as const

describe.each(cases)('@turnkey/http $name, confirmations $confirmations', (version) => {
  const { http: published, subOrganization, confirmations } = version
  let custody: CustodyServer
  beforeAll(() => {
    custody = confirmations === 'mail' ? confirming : unconfirmed
  })
  const connect = (key: ApiKey) =>
    new published.TurnkeyClient(
      { baseUrl: custody.url },
      new ApiKeyStamper({ apiPublicKey: key.publicKey, apiPrivateKey: key.privateKey }),
    )
  // biome-ignore lint/suspicious/noExplicitAny: calls by name, of two versions of a client.
  type Calls = Record<'stampCreateWallet' | keyof http6.TurnkeyClient, (input: any) => Promise<any>>
  const calls = (key: ApiKey) => connect(key) as unknown as Calls
  let confirmed: string[] = []
  /** Submits an activity, confirms it by e-mail if necessary, and returns the result. */
  async function submit(client: Calls, call: keyof Calls, type: string, organizationId: string, parameters: object) {
    async function requestFn(input: object) {
      const reply = await client[call](input)
      if (reply.activity.status === 'ACTIVITY_STATUS_PENDING') {
        expect((await custody.decide(reply.activity.id)).body.confirmation.state).toBe('confirmed')
        confirmed.push(call)
      }
      return reply
    }
    const poll = published.createActivityPoller({ client: client as never, requestFn, refreshIntervalMs: 10 })
    const activity = await poll({ type, timestampMs: now(), organizationId, parameters })
    expect(activity.status).toBe('ACTIVITY_STATUS_COMPLETED')
    published.assertActivityCompleted(activity)
    return { activity, result: Object.values(activity.result)[0] as never as Record<string, string & string[]> }
  }

  function expectConfirmed(expected: string[]) {
    expect(confirmed).toEqual(confirmations === 'mail' ? expected : [])
    confirmed = []
  }

  async function signUp() {
    const key = createApiKeyPair()
    const email = `${randomUUID()}@example.com`
    // Only a key with an expiration time counts as a recent sign-in, which some calls require.
    const life = { expirationSeconds: '3600' }
    const apiKey = { apiKeyName: 'key', publicKey: key.publicKey, curveType: 'API_KEY_CURVE_P256', ...life }
    const { result } = await submit(
      calls(custody.rootKey),
      'createSubOrganization',
      `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_${subOrganization}`,
      custody.rootOrganizationId,
      {
        subOrganizationName: `org of ${email}`,
        rootUsers: [{ userName: 'User', userEmail: email, apiKeys: [apiKey], authenticators: [], oauthProviders: [] }],
        rootQuorumThreshold: 1,
        wallet: { ...walletParameters, mnemonicLength: 24 },
      },
    )
    const {
      subOrganizationId: organizationId,
      rootUserIds,
      wallet,
    } = result as never as {
      subOrganizationId: string
      rootUserIds: [string]
      wallet: { walletId: string; addresses: [Hex] }
    }
    const [userId] = rootUserIds
    const client = calls(key)
    const { walletId, addresses } = wallet
    const run = (call: keyof Calls, type: string, parameters: object) =>
      submit(client, call, type, organizationId, parameters)
    return { key, email, client, organizationId, userId, walletId, address: addresses[0], run }
  }

  test('exports and imports wallets and keys that @turnkey/crypto opens and seals', async () => {
    const { client, organizationId, userId, walletId, address, run } = await signUp()
    const account = { ...walletParameters.accounts[0], path: "m/44'/60'/0'/0/1" }
    const more = await run('createWalletAccounts', 'ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS', {
      walletId,
      accounts: [account],
    })
    expect(more.result.addresses).toHaveLength(1)
    const made = await run('createWallet', 'ACTIVITY_TYPE_CREATE_WALLET', { ...walletParameters, mnemonicLength: 12 })

    const frame = generateP256KeyPair()
    const target = { targetPublicKey: frame.publicKeyUncompressed }
    const open = (exportBundle: string | undefined, returnMnemonic: boolean) =>
      decryptExportBundle({
        exportBundle: exportBundle ?? '',
        embeddedKey: frame.privateKey,
        organizationId,
        dangerouslyOverrideSignerPublicKey: custody.bundleSigner,
        returnMnemonic,
      })
    for (const [id, words] of [
      [walletId, 24],
      [made.result.walletId, 12],
    ]) {
      const { result } = await run('exportWallet', 'ACTIVITY_TYPE_EXPORT_WALLET', { walletId: id, ...target })
      expect((await open(result.exportBundle, true)).split(' ')).toHaveLength(words as number)
    }
    const exported = await run('exportWalletAccount', 'ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', { address, ...target })
    expect(await open(exported.result.exportBundle, false)).toMatch(/^[0-9a-f]{64}$/)
    expect((await client.getWallet({ organizationId, walletId })).wallet.exported).toBe(true)

    const sealing = { userId, organizationId, dangerouslyOverrideSignerPublicKey: custody.bundleSigner }
    const initWallet = await run('initImportWallet', 'ACTIVITY_TYPE_INIT_IMPORT_WALLET', { userId })
    const importBundle = initWallet.result.importBundle ?? ''
    const imported = await run('importWallet', 'ACTIVITY_TYPE_IMPORT_WALLET', {
      userId,
      walletName: 'Imported',
      encryptedBundle: await encryptWalletToBundle({ mnemonic: junk, importBundle, ...sealing }),
      accounts: walletParameters.accounts,
    })
    expect(imported.result.addresses).toEqual([junkAddress])
    const again = await run('exportWallet', 'ACTIVITY_TYPE_EXPORT_WALLET', {
      walletId: imported.result.walletId,
      ...target,
    })
    expect(await open(again.result.exportBundle, true)).toBe(junk)

    const initKey = await run('initImportPrivateKey', 'ACTIVITY_TYPE_INIT_IMPORT_PRIVATE_KEY', { userId })
    const key = await run('importPrivateKey', 'ACTIVITY_TYPE_IMPORT_PRIVATE_KEY', {
      userId,
      privateKeyName: 'Imported',
      encryptedBundle: await encryptPrivateKeyToBundle({
        privateKey: junkKey,
        keyFormat: 'HEXADECIMAL',
        importBundle: initKey.result.importBundle ?? '',
        ...sealing,
      }),
      curve: 'CURVE_SECP256K1',
      addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
    })
    expect(key.result.addresses).toEqual([{ format: 'ADDRESS_FORMAT_ETHEREUM', address: junkAddress }])
    const { privateKeyId } = key.result
    const sent = await run('exportPrivateKey', 'ACTIVITY_TYPE_EXPORT_PRIVATE_KEY', { privateKeyId, ...target })
    expect(await open(sent.result.exportBundle, false)).toBe(junkKey)
    expect((await client.getPrivateKeys({ organizationId })).privateKeys).toMatchObject([
      { privateKeyId, curve: 'CURVE_SECP256K1', exported: true, imported: true },
    ])
    expectConfirmed(['exportWallet', 'exportWallet', 'exportWalletAccount', 'exportWallet', 'exportPrivateKey'])
  })

  test('refuses requests in the form that the clients throw', async () => {
    const { client, organizationId, address } = await signUp()
    const stranger = calls(createApiKeyPair())
    await expect(stranger.getWhoami({ organizationId })).rejects.toMatchObject({
      name: 'TurnkeyRequestError',
      code: 16,
      message: expect.stringContaining('could not find public key in organization or its parent organization'),
      details: [expect.objectContaining({ turnkeyErrorCode: 'PUBLIC_KEY_NOT_FOUND' })],
    })
    const parameters = { signWith: address, payload: '0x', encoding: 'x', hashFunction: 'HASH_FUNCTION_NO_OP' }
    const type = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'
    await expect(client.signRawPayload({ type, timestampMs: now(), organizationId, parameters })).rejects.toMatchObject(
      { code: 3, details: [expect.anything(), { fieldViolations: [{ field: 'encoding' }] }] },
    )
    expect(await client.getPolicies({ organizationId })).toEqual({ policies: [] })
  })
})

test('returns a session from stamp_login whose token @turnkey/crypto verifies', async () => {
  const user = await unconfirmed.createUser()
  const stamper = new ApiKeyStamper({ apiPublicKey: user.key.publicKey, apiPrivateKey: user.key.privateKey })
  const client = new http6.TurnkeyClient({ baseUrl: unconfirmed.url }, stamper)
  const device = createApiKeyPair()
  const { activity } = await client.stampLogin({
    type: 'ACTIVITY_TYPE_STAMP_LOGIN',
    timestampMs: now(),
    organizationId: user.orgId,
    parameters: { publicKey: device.publicKey, expirationSeconds: '3600' },
  })
  const session = activity.result.stampLoginResult?.session ?? ''
  expect(await verifySessionJwtSignature(session, unconfirmed.bundleSigner)).toBe(true)
  const [header, claims] = session.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  expect(header).toEqual({ alg: 'ES256', typ: 'JWT' })
  expect(claims).toEqual({
    exp: expect.any(Number),
    public_key: device.publicKey,
    session_type: 'SESSION_TYPE_READ_WRITE',
    user_id: user.userId,
    organization_id: user.orgId,
  })
  expect(claims.exp).toBeCloseTo(Date.now() / 1000 + 3600, -2)
  const deviceStamper = new ApiKeyStamper({ apiPublicKey: device.publicKey, apiPrivateKey: device.privateKey })
  const signedIn = new http6.TurnkeyClient({ baseUrl: unconfirmed.url }, deviceStamper)
  expect(await signedIn.getWhoami({ organizationId: user.orgId })).toMatchObject({ userId: user.userId })
})
