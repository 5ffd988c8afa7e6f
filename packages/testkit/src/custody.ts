import { randomBytes, randomUUID } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { custodyPaths, type DecideConfirmationRequest } from 'latchkey-protocol'
import { type Hex, toPrefixedMessage } from 'viem'
import { custodyApp } from '../../server/src/custody/app.ts'
import type { CustodyDeps } from '../../server/src/custody/deps.ts'
import { bundleSigningPublicKey } from '../../server/src/keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../../server/src/keys/createApiKeyPair.ts'
import { localKeyEncryption } from '../../server/src/keys/keyEncryption.ts'
import { type MailPayload, openMail } from '../../server/src/keys/mailSeal.ts'
import { type createStamp, createStamp as stamp } from '../../server/src/platform/crypto/createStamp.ts'
import type { DatabaseRole } from '../../server/src/platform/database/grants.ts'
import { openStore, type Store } from '../../server/src/platform/database/openStore.ts'
import type { Logger } from '../../server/src/platform/observability/logger.ts'
import { upsertProject } from '../../server/src/store/upsertProject.ts'
import type { Deviation, Registration, TestAuthenticator } from './authenticator.ts'
import { startTestDatabase } from './database.ts'
import { createTestExportFrame } from './exportFrame.ts'
import { openBundle } from './openBundle.ts'
import { asRole } from './run/databaseServer.ts'
import { startTestIssuer } from './startTestIssuer.ts'

type ApiKey = createStamp.ApiKey
type CustodyApp = Awaited<ReturnType<typeof custodyApp>>
// biome-ignore lint/suspicious/noExplicitAny: tests read results of many shapes.
export type Reply = { status: number; body: any }

export const redirectUrl = 'http://localhost:4100/wallet'
export const linkTemplate = `${redirectUrl}?bundle=%s&orgId=x`

export type TestCustody = Awaited<ReturnType<typeof startTestCustody>>
/** E-mail whose link opens a session with `key`. */
export type SignInMail = {
  activityId: string
  otpId: string
  apiKeyId: string
  code: string
  link: URL
  expiresAtMs: number
  key: ApiKey
}
export type TestUser = { orgId: string; userId: string; address: string; key: ApiKey; email: string }

export const walletParameters = {
  walletName: 'Wallet',
  accounts: [
    {
      curve: 'CURVE_SECP256K1',
      pathFormat: 'PATH_FORMAT_BIP32',
      path: "m/44'/60'/0'/0/0",
      addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
    },
  ],
}

/** `project` changes the test project. Custody serves this project and the additional `projects`. */
type TestCustodyOptions = Partial<Pick<CustodyDeps, 'console' | 'deletionGraceMs'>> & {
  project?: Partial<upsertProject.Parameters>
  projects?: readonly upsertProject.Parameters[]
  /** Whether loopback addresses are exempt from rate limits. @default true */
  exemptLoopback?: boolean
  /** Whether `call` confirms requests from their e-mail, like a user, and returns the final result. @default false */
  isConfirming?: boolean
}

/** Starts custody with its own database. Stamps requests like the signer API and the frames. */
export async function startTestCustody(options: TestCustodyOptions = {}) {
  const database = await startTestDatabase({ migrated: true })
  const stores: Store[] = []
  async function open(databaseUrl: string): Promise<Store> {
    const opened = await openStore({ databaseUrl })
    stores.push(opened)
    return opened
  }
  const openAs = (role: DatabaseRole) => open(asRole(database.url, role))
  const store = await open(database.url)
  const issuer = await startTestIssuer()
  const project: upsertProject.Parameters = {
    id: 'test',
    name: 'Test app',
    apiKey: 'test-api-key',
    redirectUrls: [redirectUrl],
    allowedOrigins: ['http://localhost:4100'],
    // `createUser` adds a key to each user, which requires this setting.
    parentCredentials: 'allowed',
    redirectParams: ['callback', 'keep'],
    confirmations: 'none',
    // Tests cover all calls of custody, including those of published clients.
    signerCodes: 'allowed',
    signing: { blind: 'allow' },
    oidcProviders: [issuer.provider],
    ...options.project,
  }
  const others = (options.projects ?? []).map((other) => ({ confirmations: 'none', ...other }) as const)
  const projects = [project, ...others]
  for (const each of projects) await upsertProject(store.db, each)
  const rootKey = createApiKeyPair()
  const keyEncryptionKey = randomBytes(32).toString('hex')
  const logs: string[] = []
  let skewMs = 0
  const deps: CustodyDeps = {
    db: (await openAs('custody')).db,
    logger: keepLogs(logs),
    rootOrganizationId: randomUUID(),
    rootApiPublicKey: rootKey.publicKey,
    exemptLoopback: options.exemptLoopback ?? true,
    projects,
    keyEncryption: localKeyEncryption({ key: keyEncryptionKey }),
    mailSealKey: randomBytes(32),
    confirmationUrl: 'http://localhost:4104/confirm/',
    deletionGraceMs: options.deletionGraceMs,
    console: options.console,
    bundleSigningKey: p256.utils.randomSecretKey(),
    // On a busy machine, earlier requests may be slow. They must not make later ones fail.
    turnWaitMs: 120_000,
    now: () => Date.now() + skewMs,
  }
  const app = await custodyApp(deps)
  const base = createCalls(app, deps, options.isConfirming ?? false)
  const parent = { ...base, rootKey, rootOrganizationId: deps.rootOrganizationId }
  return {
    app,
    /** Store of the tables' owner. Custody itself has the rights of `grants.ts`. */
    store,
    /** Opens the database as another role of the server. `close` closes it. */
    openAs,
    deps,
    /** Identity provider of the test project. */
    issuer,
    rootKey,
    keyEncryptionKey,
    rootOrganizationId: deps.rootOrganizationId,
    logs,
    bundleSigner: bundleSigningPublicKey(Buffer.from(deps.bundleSigningKey ?? []).toString('hex')),
    /** Starts another instance of custody on the same database. */
    startCopy: () => custodyApp(deps),
    /** Moves custody's clock forward. */
    advance(ms: number) {
      skewMs += ms
    },
    ...base,
    /** Returns the parameters of `sign_raw_payload` for a digest, by default of the message "hello". */
    signing: ({ orgId, address }: Pick<TestUser, 'orgId' | 'address'>, digest?: Hex | string) =>
      base.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', orgId, {
        encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
        hashFunction: digest === undefined ? 'HASH_FUNCTION_KECCAK256' : 'HASH_FUNCTION_NO_OP',
        payload: digest ?? toPrefixedMessage('hello'),
        signWith: address,
      }),
    /** Requests a sign-in e-mail and decrypts its bundle with the frame's embedded key `targetPrivate`. */
    askForMail: (to: Parameters<typeof askForMail>[1], options?: Parameters<typeof askForMail>[2]) =>
      askForMail(parent, to, options),
    /** Creates a sub-organization whose users have only the given credentials. */
    signUp: (rootUsers: readonly object[], options?: Parameters<typeof signUp>[2]) =>
      signUp(parent, rootUsers, options),
    createUser: (options?: UserOptions) => createUser(parent, options),
    async close() {
      await issuer.close()
      for (const opened of stores) await opened.close()
      await database.close()
    },
  }
}

type Calls = ReturnType<typeof createCalls>

function createCalls(app: CustodyApp, deps: CustodyDeps, isConfirming: boolean) {
  const used = new Set<number>()
  type Body = string | Uint8Array<ArrayBuffer>
  async function send(path: string, body: Body, headers?: Record<string, string>): Promise<Reply> {
    const init = { method: 'POST', body, headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers } }
    const response = await app.request(path, init)
    return { status: response.status, body: await response.json() }
  }
  async function readQueued(activityId: string, template: string): Promise<MailPayload> {
    const mails = deps.db.selectFrom('mail_outbox').selectAll().where('activity_id', '=', activityId)
    const mail = await mails.where('template', '=', template).orderBy('created_at', 'desc').executeTakeFirstOrThrow()
    return openMail(deps.mailSealKey, mail, mail.payload_sealed ?? new Uint8Array())
  }
  const confirmationPage = createTestExportFrame()
  /** Opens the link of a confirmation e-mail and decides on its page. */
  async function decide(
    activityId: string,
    decision: DecideConfirmationRequest['decision'] = 'accept',
    template = 'confirm',
  ): Promise<Reply> {
    const { content } = await readQueued(activityId, template)
    const secret = new URL(('link' in content && content.link) || '').hash.slice(1)
    const { targetPublicKey } = confirmationPage
    const request = { secret, decision, ...(decision === 'accept' && { targetPublicKey }) }
    return send(custodyPaths.decideConfirmation, JSON.stringify(request satisfies DecideConfirmationRequest))
  }
  async function sendAndConfirm(...request: Parameters<typeof send>): Promise<Reply> {
    const reply = await send(...request)
    if (!isConfirming || !reply.body.activity?.confirmation) return reply
    const decided = await decide(reply.body.activity.id)
    if (decided.status !== 200) throw new TypeError(`confirmation: ${JSON.stringify(decided.body)}`)
    return send(...request)
  }
  return {
    send,
    readQueued,
    decide,
    confirmationPage,
    call(path: string, body: object | string, key: ApiKey) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const { stampHeaderName, stampHeaderValue } = stamp(text, key)
      return sendAndConfirm(`/public/v1/${path}`, text, { [stampHeaderName]: stampHeaderValue })
    },
    callByPasskey(path: string, body: object | string, passkey: TestAuthenticator, deviation?: Deviation) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return sendAndConfirm(`/public/v1/${path}`, text, { 'x-stamp-webauthn': passkey.stamp(text, deviation) })
    },
    activity(type: string, organizationId: string, parameters: object): Record<string, unknown> {
      // Custody treats equal activities with the same millisecond timestamp as one activity.
      let timestampMs = deps.now?.() ?? 0
      while (used.has(timestampMs)) timestampMs--
      used.add(timestampMs)
      return { type, timestampMs: String(timestampMs), organizationId, parameters }
    },
  }
}

type Parent = Calls & { rootKey: ApiKey; rootOrganizationId: string }

async function askForMail(
  { call, activity, rootKey, readQueued }: Parent,
  { orgId, email }: Pick<TestUser, 'orgId' | 'email'>,
  {
    targetPrivate = p256.utils.randomSecretKey(),
    ...parameters
  }: { targetPrivate?: Uint8Array; [parameter: string]: unknown } = {},
): Promise<SignInMail> {
  const request = activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', orgId, {
    email,
    targetPublicKey: Buffer.from(p256.getPublicKey(targetPrivate, false)).toString('hex'),
    emailCustomization: { magicLinkTemplate: linkTemplate },
    ...parameters,
  })
  const { status, body } = await call('submit/email_auth', request, rootKey)
  if (status !== 200) throw new TypeError(`email_auth: ${JSON.stringify(body)}`)
  const { content } = await readQueued(body.activity.id, 'sign-in')
  if (content.kind !== 'sign-in' || !content.code || !content.link) throw new TypeError('no sign-in mail')
  const link = new URL(content.link)
  const privateKey = await openBundle(link.searchParams.get('bundle') ?? '', targetPrivate)
  const toHex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  return {
    ...body.activity.result.emailAuthResult,
    activityId: body.activity.id,
    code: content.code,
    link,
    expiresAtMs: content.expiresAtMs,
    key: { privateKey: toHex(privateKey), publicKey: toHex(p256.getPublicKey(privateKey, true)) },
  }
}

async function signUp(
  { call, activity, rootKey, rootOrganizationId }: Parent,
  rootUsers: readonly object[],
  {
    threshold = 1,
    parent = rootOrganizationId,
    key = rootKey,
  }: { threshold?: number; parent?: string; key?: ApiKey } = {},
): Promise<{ orgId: string; userIds: string[]; walletId: string; address: string }> {
  const request = activity('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', parent, {
    subOrganizationName: 'User',
    rootUsers: rootUsers.map((user) => ({
      userName: 'User',
      apiKeys: [],
      authenticators: [],
      oauthProviders: [],
      ...user,
    })),
    rootQuorumThreshold: threshold,
    wallet: walletParameters,
  })
  const { status, body } = await call('submit/create_sub_organization', request, key)
  if (status !== 200) throw new TypeError(`create_sub_organization: ${JSON.stringify(body)}`)
  const { subOrganizationId: orgId, rootUserIds, wallet } = body.activity.result.createSubOrganizationResultV7
  return { orgId, userIds: rootUserIds, walletId: wallet.walletId, address: wallet.addresses[0] }
}

type UserOptions = {
  email?: string
  key?: ApiKey
  expirationSeconds?: string
  passkeys?: readonly Registration[]
  /** Parent of the user's organization. @default the test project's parent organization */
  rootOrganizationId?: string
}

async function createUser(parent: Parent, options: UserOptions = {}): Promise<TestUser> {
  const { key = createApiKeyPair(), email = `${randomUUID()}@example.com`, passkeys = [] } = options
  // With an expiration time, the key belongs to a session, whose user counts as present for five minutes. A program's
  // key has no expiration time.
  const { expirationSeconds = '86400', rootOrganizationId } = options
  const apiKeys = [{ apiKeyName: 'test', publicKey: key.publicKey, expirationSeconds }]
  const authenticators = passkeys.map((passkey) => ({ authenticatorName: 'passkey-1', ...passkey }))
  const { orgId, userIds, address } = await signUp(parent, [{ userEmail: email, apiKeys, authenticators }], {
    ...(rootOrganizationId && { parent: rootOrganizationId }),
  })
  return { orgId, userId: userIds[0] ?? '', address, key, email }
}

function keepLogs(logs: string[]): Logger {
  const keep = (level: string) => (fields: Record<string, unknown>, message: string) => {
    logs.push(`${level} ${message} ${JSON.stringify(fields)}`)
  }
  return { info: keep('info'), warn: keep('warn'), error: keep('error') }
}
