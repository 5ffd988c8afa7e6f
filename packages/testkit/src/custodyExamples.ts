import { randomBytes, randomInt } from 'node:crypto'
import { hashMessage, serializeTransaction } from 'viem'
import { createTotp } from '../../dev/src/testing/createTotp.ts'
import { mnemonicBytes } from '../../server/src/custody/wallets/mnemonic.ts'
import { createApiKeyPair } from '../../server/src/keys/createApiKeyPair.ts'
import { openMail } from '../../server/src/keys/mailSeal.ts'
import { createStamp } from '../../server/src/platform/crypto/createStamp.ts'
import { createAuthenticator, type TestAuthenticator } from './authenticator.ts'
import { linkTemplate, type TestCustody, type TestUser, walletParameters } from './custody.ts'
import { createTestExportFrame } from './exportFrame.ts'
import { sealForImport } from './sealForImport.ts'

type Key = TestUser['key']

export type Owner = TestUser & {
  passkey: TestAuthenticator
  other: { userId: string; key: Key; passkey: TestAuthenticator }
}

/** Valid request for one call. Also creates everything that the call requires. */
type Example = {
  version?: string
  /** Sender of the request. @default the owner, with an API key */
  by?: 'parent' | 'anybody'
  /** Organization of the request. @default the owner's organization */
  on?: 'root'
  /** Number of votes that the owner's organization requires. @default 1 */
  threshold?: number
  parameters(custody: TestCustody, owner: Owner): object | Promise<object>
}

const targetKey = () => ({ targetPublicKey: createTestExportFrame().targetPublicKey })
const toUserId = (_custody: TestCustody, { userId }: Owner) => ({ userId })
const nothing = () => ({})
const payload = ({ address }: Owner) => ({
  signWith: address,
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_NO_OP',
})
const newPasskey = () => ({ authenticatorName: 'passkey', ...createAuthenticator().register() })
const newKey = () => ({ apiKeyName: 'key', publicKey: createApiKeyPair().publicKey, curveType: 'API_KEY_CURVE_P256' })

/** Examples by path under `/public/v1/submit/`. */
export const submitExamples: Readonly<Record<string, Example>> = {
  create_sub_organization: {
    version: '_V7',
    by: 'parent',
    on: 'root',
    parameters: () => ({
      subOrganizationName: 'User',
      rootUsers: [
        {
          userName: 'User',
          userEmail: `${crypto.randomUUID()}@example.com`,
          apiKeys: [newKey()],
          authenticators: [newPasskey()],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
      wallet: walletParameters,
    }),
  },
  email_auth: {
    version: '_V2',
    by: 'parent',
    parameters: (_custody, { email }) => ({
      email,
      ...targetKey(),
      emailCustomization: { appName: 'Test app', magicLinkTemplate: linkTemplate },
    }),
  },
  otp_auth: { by: 'anybody', parameters: askForCode },
  init_otp: {
    by: 'parent',
    on: 'root',
    parameters: () => ({ otpType: 'OTP_TYPE_EMAIL', contact: `${crypto.randomUUID()}@example.com` }),
  },
  verify_otp: { by: 'anybody', on: 'root', parameters: askForAddressCode },
  oauth: {
    by: 'parent',
    parameters: async (custody, owner) => {
      const { claims } = await addIdentity(custody, owner)
      const key = targetKey()
      return { oidcToken: await custody.issuer.sign({ boundTo: key.targetPublicKey, claims }), ...key }
    },
  },
  oauth_login: {
    by: 'parent',
    parameters: async (custody, owner) => {
      const { claims } = await addIdentity(custody, owner)
      const { publicKey } = createApiKeyPair()
      return { oidcToken: await custody.issuer.sign({ boundTo: publicKey, claims }), publicKey }
    },
  },
  create_read_write_session: { version: '_V2', parameters: targetKey },
  create_read_only_session: { parameters: nothing },
  stamp_login: { parameters: () => ({ publicKey: createApiKeyPair().publicKey }) },
  sign_raw_payload: {
    version: '_V2',
    parameters: (_custody, owner) => ({ ...payload(owner), payload: hashMessage('x') }),
  },
  sign_raw_payloads: {
    parameters: (_custody, owner) => ({ ...payload(owner), payloads: [hashMessage('x'), hashMessage('y')] }),
  },
  sign_transaction: {
    version: '_V2',
    parameters: (_custody, { address }) => ({
      signWith: address,
      unsignedTransaction: serializeTransaction({ chainId: 1, type: 'eip1559', maxFeePerGas: 1n }),
      type: 'TRANSACTION_TYPE_ETHEREUM',
    }),
  },
  create_wallet: { parameters: () => walletParameters },
  create_wallet_accounts: {
    parameters: async (custody, owner) => ({
      walletId: await findWallet(custody, owner),
      accounts: walletParameters.accounts.map((account) => ({
        ...account,
        path: `m/44'/60'/0'/0/${randomInt(1, 2 ** 31)}`,
      })),
    }),
  },
  export_wallet: {
    parameters: async (custody, owner) => ({ walletId: await findWallet(custody, owner), ...targetKey() }),
  },
  export_wallet_account: { parameters: (_custody, { address }) => ({ address, ...targetKey() }) },
  export_private_key: {
    parameters: async (custody, owner) => {
      const { privateKeyId } = await submit(custody, owner, 'import_private_key')
      return { privateKeyId, ...targetKey() }
    },
  },
  init_import_wallet: { parameters: toUserId },
  import_wallet: {
    parameters: async (custody, owner) => ({
      userId: owner.userId,
      walletName: 'Imported',
      encryptedBundle: await sealForImport(
        await submit(custody, owner, 'init_import_wallet'),
        mnemonicBytes(randomBytes(16)),
      ),
      accounts: walletParameters.accounts,
    }),
  },
  init_import_private_key: { parameters: toUserId },
  import_private_key: {
    parameters: async (custody, owner) => ({
      userId: owner.userId,
      privateKeyName: 'Imported',
      encryptedBundle: await sealForImport(await submit(custody, owner, 'init_import_private_key'), randomBytes(32)),
      curve: 'CURVE_SECP256K1',
      addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
    }),
  },
  note_move_failure: { parameters: (_custody, { userId, address }) => ({ userId, address, reason: 'ABORTED' }) },
  create_authenticators: {
    version: '_V2',
    parameters: (_custody, { userId }) => ({ userId, authenticators: [newPasskey()] }),
  },
  delete_authenticators: {
    parameters: async (custody, owner) => ({
      userId: owner.userId,
      ...(await submit(custody, owner, 'create_authenticators')),
    }),
  },
  create_oauth_providers: {
    parameters: async (custody, { userId, key }) => ({
      userId,
      oauthProviders: [{ providerName: 'local', oidcToken: await custody.issuer.sign({ boundTo: key.publicKey }) }],
    }),
  },
  delete_oauth_providers: {
    parameters: async (custody, owner) => ({
      userId: owner.userId,
      providerIds: (await addIdentity(custody, owner)).providerIds,
    }),
  },
  create_multi_factor: {
    parameters: async (custody, owner) => {
      await removeFactors(custody, owner)
      return { userId: owner.userId, multiFactorType: 'totp' }
    },
  },
  activate_multi_factor: { parameters: proveNewFactor },
  delete_multi_factors: {
    parameters: async (custody, owner) => {
      const { multiFactors } = await submit(custody, owner, 'activate_multi_factor')
      return { userId: owner.userId, multiFactorIds: [multiFactors[0].multiFactorId] }
    },
  },
  list_multi_factors_by_word: byWord('list_mfas', () => ({})),
  create_multi_factor_by_word: byWord('add_mfa', async (custody, owner) => {
    await removeFactors(custody, owner)
    return { multiFactorType: 'totp' }
  }),
  activate_multi_factor_by_word: byWord('verify_mfa', async (custody, owner) => {
    const { userId: _, ...given } = await proveNewFactor(custody, owner)
    return given
  }),
  delete_multi_factors_by_word: byWord('delete_mfas', async (custody, owner) => {
    const { multiFactors } = await submit(custody, owner, 'activate_multi_factor')
    return { multiFactorIds: [multiFactors[0].multiFactorId] }
  }),
  create_api_keys: { version: '_V2', parameters: (_custody, { userId }) => ({ userId, apiKeys: [newKey()] }) },
  delete_api_keys: {
    parameters: async (custody, owner) => ({
      userId: owner.userId,
      ...(await submit(custody, owner, 'create_api_keys')),
    }),
  },
  update_user: { parameters: (_custody, { userId }) => ({ userId, userName: 'Ada' }) },
  update_user_email: { parameters: (_custody, { userId, email }) => ({ userId, userEmail: email }) },
  update_user_name: { parameters: (_custody, { userId }) => ({ userId, userName: 'Ada' }) },
  delete_sub_organization: { parameters: () => ({ deleteWithoutExport: true }) },
  cancel_deletion: {
    async parameters(custody, owner) {
      await run(custody, owner, 'delete_sub_organization')
      return {}
    },
  },
  set_spending_rules: {
    parameters: () => ({
      rules: { limits: [{ chainId: 1, token: 'native', perDay: '1' }], unlisted: 'allow', recipients: null },
    }),
  },
  approve_activity: { threshold: 2, parameters: askForVote },
  reject_activity: { threshold: 2, parameters: askForVote },
}

/** Examples by path under `/public/v1/query/`. */
export const queryExamples: Readonly<Record<string, Example>> = {
  whoami: { parameters: nothing },
  get_activity: {
    parameters: async (custody, owner) => ({ activityId: (await run(custody, owner, 'sign_raw_payload')).id }),
  },
  list_activities: { parameters: nothing },
  list_wallets: { parameters: nothing },
  list_wallet_accounts: {
    parameters: async (custody, owner) => ({ walletId: await findWallet(custody, owner), includeWalletDetails: true }),
  },
  get_wallet: { parameters: async (custody, owner) => ({ walletId: await findWallet(custody, owner) }) },
  get_wallet_account: {
    parameters: async (custody, owner) => ({ walletId: await findWallet(custody, owner), address: owner.address }),
  },
  list_private_keys: { parameters: nothing },
  get_organization: { parameters: nothing },
  get_organization_configs: { parameters: nothing },
  get_user: { parameters: toUserId },
  list_users: { parameters: nothing },
  get_authenticators: { parameters: toUserId },
  get_api_keys: { parameters: toUserId },
  get_oauth_providers: { parameters: toUserId },
  get_multi_factors: { parameters: toUserId },
  list_suborgs: { parameters: nothing },
  list_verified_suborgs: { parameters: nothing },
  list_policies: { parameters: nothing },
  get_spending_rules: { parameters: nothing },
}

/**
 * Creates a sub-organization with two users, each with a session and a passkey. Returns the first user, who has an
 * e-mail address.
 */
export async function createOwner(custody: TestCustody, threshold = 1): Promise<Owner> {
  const email = `${crypto.randomUUID()}@example.com`
  const [owner, other] = [
    { key: createApiKeyPair(), passkey: createAuthenticator() },
    { key: createApiKeyPair(), passkey: createAuthenticator() },
  ]
  const rootUsers = [
    { userName: 'Owner', userEmail: email, ...toCredentials(owner), oauthProviders: [] },
    { userName: 'Other', ...toCredentials(other), oauthProviders: [] },
  ]
  const body = custody.activity('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', custody.rootOrganizationId, {
    subOrganizationName: 'Shared',
    rootUsers,
    rootQuorumThreshold: threshold,
    wallet: walletParameters,
  })
  const { content } = await finish(custody, { path: 'create_sub_organization', key: custody.rootKey, body })
  const { subOrganizationId: orgId, rootUserIds, wallet } = content
  const [userId, otherId] = rootUserIds
  return { orgId, userId, email, address: wallet.addresses[0], ...owner, other: { userId: otherId, ...other } }
}

function toCredentials({ key: { publicKey }, passkey }: Pick<Owner, 'key' | 'passkey'>) {
  return {
    apiKeys: [{ apiKeyName: 'session', publicKey, expirationSeconds: '86400' }],
    authenticators: [{ authenticatorName: 'passkey-1', ...passkey.register() }],
  }
}

export async function submission(custody: TestCustody, owner: Owner, call: string): Promise<object> {
  const example = submitExamples[call]
  if (!example) throw new TypeError(`There is no example of ${call}.`)
  const parameters = await example.parameters(custody, owner)
  return custody.activity(
    `ACTIVITY_TYPE_${call.toUpperCase()}${example.version ?? ''}`,
    example.on === 'root' ? custody.rootOrganizationId : owner.orgId,
    parameters,
  )
}

export async function question(custody: TestCustody, owner: Owner, call: string): Promise<object> {
  const example = queryExamples[call]
  if (!example) throw new TypeError(`There is no example of ${call}.`)
  return { organizationId: owner.orgId, ...(await example.parameters(custody, owner)) }
}

// biome-ignore lint/suspicious/noExplicitAny: results of many shapes.
type Finished = { id: string; fingerprint: string; content: any }

const submit = async (custody: TestCustody, owner: Owner, call: string) => (await run(custody, owner, call)).content

async function run(custody: TestCustody, owner: Owner, call: string, key = owner.key): Promise<Finished> {
  return finish(custody, { path: call, key, body: await submission(custody, owner, call) })
}

async function finish(
  custody: TestCustody,
  { path, key, body }: { path: string; key: Key; body: object },
): Promise<Finished> {
  const response = await custody.call(`submit/${path}`, body, key)
  if (response.status !== 200) throw new TypeError(`${path}: ${JSON.stringify(response.body)}`)
  const { id, fingerprint, result } = response.body.activity
  return { id, fingerprint, content: Object.values(result)[0] }
}

async function findWallet(custody: TestCustody, { orgId, key }: Owner): Promise<string> {
  const { body } = await custody.call('query/list_wallets', { organizationId: orgId }, key)
  return body.wallets[0].walletId
}

/** Adds an account at an identity provider to the owner. Returns the claims that identify it. */
async function addIdentity(custody: TestCustody, { orgId, userId, key }: Owner) {
  const claims = { sub: crypto.randomUUID() }
  const oidcToken = await custody.issuer.sign({ boundTo: key.publicKey, claims })
  const body = custody.activity('ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS', orgId, {
    userId,
    oauthProviders: [{ providerName: 'local', oidcToken }],
  })
  const { content } = await finish(custody, { path: 'create_oauth_providers', key, body })
  return { claims, providerIds: content.providerIds as string[] }
}

/** Request that published clients authorize by a stamped word. It has no stamp of its own. */
function byWord(word: string, given: (custody: TestCustody, owner: Owner) => object | Promise<object>): Example {
  return {
    by: 'anybody',
    async parameters(custody, owner) {
      const more = await given(custody, owner)
      const body = JSON.stringify(custody.signing(owner, word))
      return { stampedRequest: { body, stamp: createStamp(body, owner.key) }, ...more }
    },
  }
}

async function proveNewFactor(custody: TestCustody, owner: Owner) {
  const { multiFactorId, multiFactorTotpUrl } = await submit(custody, owner, 'create_multi_factor')
  const atMs = custody.deps.now?.()
  return { userId: owner.userId, multiFactorId, multiFactorCode: createTotp(multiFactorTotpUrl).code({ atMs }) }
}

async function removeFactors(custody: TestCustody, { orgId, userId, key }: Owner): Promise<void> {
  const { body } = await custody.call('query/get_multi_factors', { organizationId: orgId, userId }, key)
  const multiFactorIds = body.multiFactors.map((factor: { multiFactorId: string }) => factor.multiFactorId)
  if (multiFactorIds.length === 0) return
  const request = custody.activity('ACTIVITY_TYPE_DELETE_MULTI_FACTORS', orgId, { userId, multiFactorIds })
  await finish(custody, { path: 'delete_multi_factors', key, body: request })
}

/** Lets the other user start an activity that requires the owner's vote. Returns its fingerprint. */
async function askForVote(custody: TestCustody, owner: Owner): Promise<object> {
  return { fingerprint: (await run(custody, owner, 'sign_raw_payload', owner.other.key)).fingerprint }
}

/** Reads a sign-in code from its e-mail, like the mail role. */
async function askForCode(custody: TestCustody, owner: Owner): Promise<object> {
  const body = await submission(custody, owner, 'email_auth')
  const { targetPublicKey } = (body as { parameters: { targetPublicKey: string } }).parameters
  const { id, content } = await finish(custody, { path: 'email_auth', key: custody.rootKey, body })
  const { db } = custody.store
  const row = await db.selectFrom('mail_outbox').selectAll().where('activity_id', '=', id).executeTakeFirstOrThrow()
  const mail = openMail(custody.deps.mailSealKey, row, row.payload_sealed ?? new Uint8Array())
  const otpCode = mail.content.kind === 'sign-in' ? mail.content.code : undefined
  return { otpId: content.otpId, otpCode, targetPublicKey }
}

/** Reads an address code from its e-mail, like the mail role. */
async function askForAddressCode(custody: TestCustody, owner: Owner): Promise<object> {
  const body = await submission(custody, owner, 'init_otp')
  const { id, content } = await finish(custody, { path: 'init_otp', key: custody.rootKey, body })
  const mail = (await custody.readQueued(id, 'address-code')).content
  return { otpId: content.otpId, otpCode: mail.kind === 'address-code' ? mail.code : undefined }
}
