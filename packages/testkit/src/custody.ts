import { randomBytes, randomUUID } from 'node:crypto'
import { p256 } from '@noble/curves/nist.js'
import { custodyPaths, type DecideConfirmationRequest } from 'latchkey/wire'
import { custodyApp } from '../../server/src/custody/app.ts'
import type { CustodyDeps } from '../../server/src/custody/deps.ts'
import type { Logger } from '../../server/src/http/logger.ts'
import { bundleSigningPublicKey } from '../../server/src/keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../../server/src/keys/createApiKeyPair.ts'
import { type createStamp, createStamp as stamp } from '../../server/src/keys/createStamp.ts'
import { localKeyEncryption } from '../../server/src/keys/keyEncryption.ts'
import { type MailPayload, openMail } from '../../server/src/keys/mailSeal.ts'
import type { DatabaseRole } from '../../server/src/store/grants.ts'
import { openStore, type Store } from '../../server/src/store/openStore.ts'
import { upsertProject } from '../../server/src/store/upsertProject.ts'
import type { Deviation, Registration, TestAuthenticator } from './authenticator.ts'
import { startTestDatabase } from './database.ts'
import { asRole } from './run/databaseServer.ts'

type ApiKey = createStamp.ApiKey
type CustodyApp = Awaited<ReturnType<typeof custodyApp>>
// biome-ignore lint/suspicious/noExplicitAny: tests read results of many shapes.
export type Reply = { status: number; body: any }

export const redirectUrl = 'http://localhost:4100/wallet'
export const linkTemplate = `${redirectUrl}?bundle=%s&orgId=x`

/** Custody on a database of its own, with its requests written and stamped as the signer API and a frame do. */
export type TestCustody = {
  app: CustodyApp
  /** As the owner of the tables; custody itself has what `grants.ts` grants it. */
  store: Store
  /** The database as another role of the server, until `close`. */
  openAs(role: DatabaseRole): Promise<Store>
  deps: CustodyDeps
  rootKey: ApiKey
  rootOrganizationId: string
  /** 32 bytes, hex. */
  keyEncryptionKey: string
  /** Everything custody logged, as text. */
  logs: string[]
  /** Public half of the key that signs export bundles. */
  bundleSigner: string
  /** Another copy of custody on the same database. */
  startCopy(): Promise<CustodyApp>
  /** Moves custody's clock. */
  advance(ms: number): void
  send(path: string, body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>): Promise<Reply>
  /** Stamps a body and sends it to `/public/v1/<path>`. */
  call(path: string, body: object | string, key: ApiKey): Promise<Reply>
  /** Stamps a body with a passkey and sends it to `/public/v1/<path>`. */
  callByPasskey(path: string, body: object | string, passkey: TestAuthenticator, deviation?: Deviation): Promise<Reply>
  activity(type: string, organizationId: string, parameters: object): Record<string, unknown>
  /** Content of the newest mail of a template that was queued because of an activity. */
  readQueued(activityId: string, template: string): Promise<MailPayload>
  /** Opens the link of a confirmation's mail and presses a button of its page. */
  decide(activityId: string, decision?: DecideConfirmationRequest['decision'], template?: string): Promise<Reply>
  createUser(options?: {
    email?: string
    key?: ApiKey
    expirationSeconds?: string
    passkeys?: readonly Registration[]
    /** Parent of the user's organization. @default that of the test project */
    rootOrganizationId?: string
  }): Promise<TestUser>
  close(): Promise<void>
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

/** `project`: of the test project. `projects`: registered, and trusted by custody, besides it. */
type TestCustodyOptions = Partial<Pick<CustodyDeps, 'console' | 'deletionGraceMs'>> & {
  project?: Partial<upsertProject.Parameters>
  projects?: readonly upsertProject.Parameters[]
  /** As in development. @default true */
  exemptLoopback?: boolean
  /**
   * `call` confirms from the mail what waits for it, as a person does, and returns what became of it.
   *
   * @default false
   */
  isConfirming?: boolean
}

export async function startTestCustody(options: TestCustodyOptions = {}): Promise<TestCustody> {
  const database = await startTestDatabase({ migrated: true })
  const stores: Store[] = []
  async function open(databaseUrl: string): Promise<Store> {
    const opened = await openStore({ databaseUrl })
    stores.push(opened)
    return opened
  }
  const openAs = (role: DatabaseRole) => open(asRole(database.url, role))
  const store = await open(database.url)
  const project: upsertProject.Parameters = {
    id: 'test',
    name: 'Test app',
    apiKey: 'test-api-key',
    redirectUrls: [redirectUrl],
    allowedOrigins: ['http://localhost:4100'],
    // `createUser` gives users a key and an address.
    parentCredentials: 'allowed',
    redirectParams: ['callback', 'keep'],
    confirmations: 'none',
    // Every call of custody is tried, those of published clients included.
    signerCodes: 'allowed',
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
    // What a busy machine takes for those before it must not refuse a request.
    turnWaitMs: 120_000,
    now: () => Date.now() + skewMs,
  }
  const app = await custodyApp(deps)
  const base = createCalls(app, deps, options.isConfirming ?? false)
  return {
    app,
    store,
    openAs,
    deps,
    rootKey,
    keyEncryptionKey,
    rootOrganizationId: deps.rootOrganizationId,
    logs,
    bundleSigner: bundleSigningPublicKey(Buffer.from(deps.bundleSigningKey ?? []).toString('hex')),
    startCopy: () => custodyApp(deps),
    advance(ms) {
      skewMs += ms
    },
    ...base,
    createUser: (options) => createUser({ ...base, rootKey, rootOrganizationId: deps.rootOrganizationId }, options),
    async close() {
      for (const opened of stores) await opened.close()
      await database.close()
    },
  }
}

type Calls = Pick<TestCustody, 'send' | 'call' | 'callByPasskey' | 'activity' | 'readQueued' | 'decide'>

function createCalls(app: CustodyApp, deps: CustodyDeps, isConfirming: boolean): Calls {
  const used = new Set<number>()
  async function send(...[path, body, headers]: Parameters<TestCustody['send']>): Promise<Reply> {
    const init = { method: 'POST', body, headers: { 'content-type': 'text/plain;charset=UTF-8', ...headers } }
    const response = await app.request(path, init)
    return { status: response.status, body: await response.json() }
  }
  async function readQueued(activityId: string, template: string): Promise<MailPayload> {
    const mails = deps.db.selectFrom('mail_outbox').selectAll().where('activity_id', '=', activityId)
    const mail = await mails.where('template', '=', template).orderBy('created_at', 'desc').executeTakeFirstOrThrow()
    return openMail(deps.mailSealKey, mail, mail.payload_sealed ?? new Uint8Array())
  }
  async function decide(activityId: string, decision = 'accept', template = 'confirm'): Promise<Reply> {
    const { content } = await readQueued(activityId, template)
    const secret = new URL(('link' in content && content.link) || '').hash.slice(1)
    return send(custodyPaths.decideConfirmation, JSON.stringify({ secret, decision }))
  }
  async function sendAndConfirm(...request: Parameters<TestCustody['send']>): Promise<Reply> {
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
    call(path, body, key) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const { stampHeaderName, stampHeaderValue } = stamp(text, key)
      return sendAndConfirm(`/public/v1/${path}`, text, { [stampHeaderName]: stampHeaderValue })
    },
    callByPasskey(path, body, passkey, deviation) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      return sendAndConfirm(`/public/v1/${path}`, text, { 'x-stamp-webauthn': passkey.stamp(text, deviation) })
    },
    activity(type, organizationId, parameters) {
      // Two activities of one millisecond would be one and the same.
      let timestampMs = deps.now?.() ?? 0
      while (used.has(timestampMs)) timestampMs--
      used.add(timestampMs)
      return { type, timestampMs: String(timestampMs), organizationId, parameters }
    },
  }
}

async function createUser(
  custody: Pick<TestCustody, 'call' | 'activity' | 'rootKey' | 'rootOrganizationId'>,
  options: Parameters<TestCustody['createUser']>[0] = {},
): Promise<TestUser> {
  const { key = createApiKeyPair(), email = `${randomUUID()}@example.com`, passkeys = [] } = options
  // A session, not a key for programs: its user counts as there for five minutes.
  const { expirationSeconds = '86400', rootOrganizationId = custody.rootOrganizationId } = options
  const apiKey = { apiKeyName: 'test', publicKey: key.publicKey, expirationSeconds }
  const authenticators = passkeys.map((passkey) => ({ authenticatorName: 'passkey-1', ...passkey }))
  const request = custody.activity('ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7', rootOrganizationId, {
    subOrganizationName: 'User',
    rootUsers: [{ userName: 'User', userEmail: email, apiKeys: [apiKey], authenticators, oauthProviders: [] }],
    rootQuorumThreshold: 1,
    wallet: walletParameters,
  })
  const { status, body } = await custody.call('submit/create_sub_organization', request, custody.rootKey)
  if (status !== 200) throw new TypeError(`create_sub_organization: ${JSON.stringify(body)}`)
  const result = body.activity.result.createSubOrganizationResultV7
  return {
    orgId: result.subOrganizationId,
    userId: result.rootUserIds[0],
    address: result.wallet.addresses[0],
    key,
    email,
  }
}

function keepLogs(logs: string[]): Logger {
  const keep = (level: string) => (fields: Record<string, unknown>, message: string) => {
    logs.push(`${level} ${message} ${JSON.stringify(fields)}`)
  }
  return { info: keep('info'), warn: keep('warn'), error: keep('error') }
}
