import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { startInbox } from '../../dev/src/inbox/startInbox.ts'
import { freePorts } from '../../dev/src/world/freePorts.ts'
import { startMail } from '../../server/src/mail/startMail.ts'
import { listen } from '../../server/src/platform/http/listen.ts'
import { signerApiApp } from '../../server/src/signerApi/app.ts'
import type { upsertProject } from '../../server/src/store/upsertProject.ts'
import { startTestCustody, type TestCustody } from './custody.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of many shapes.
type Reply = { status: number; headers: Headers; json: any }

/** The test project of `startTestCustody`. */
export const testOrigin = 'http://localhost:4100'
export const testApiKey = 'test-api-key'

export type TestSignerApi = {
  custody: TestCustody
  custodyUrl: string
  inbox: startInbox.ReturnType
  app: ReturnType<typeof signerApiApp>
  deps: signerApiApp.Deps
  /** POSTs to `/signer/v1/<path>` with the test project's key, unless headers say otherwise. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
  /** Parameters of the newest link mailed to an address. */
  readLink(email: string): URL
  /** Code of the newest mail to an address. */
  readCode(email: string): string
  /** Stops and starts the mail role. */
  stopMail(): Promise<void>
  startMail(): Promise<void>
  close(): Promise<void>
}

/** Signer API, custody, mail role and an SMTP inbox on a database of their own, as in production, in one process. */
export async function startTestSignerApi({
  project,
  projects,
  ...options
}: Partial<signerApiApp.Deps> & {
  project?: Partial<upsertProject.Parameters>
  projects?: readonly upsertProject.Parameters[]
} = {}): Promise<TestSignerApi> {
  const { exemptLoopback = true } = options
  const custody = await startTestCustody({ exemptLoopback, ...(project && { project }), ...(projects && { projects }) })
  // Not one that the system lends: it could be another's once the mail server comes back.
  const inbox = await startInbox({ smtpPort: await freePorts(1), httpPort: 0, pageUrl: 'http://localhost/inbox' })
  const mailStore = await custody.openAs('mail')
  const startMailRole = () =>
    startMail({
      store: mailStore,
      logger: custody.deps.logger,
      smtpUrl: `smtp://127.0.0.1:${inbox.smtpPort}`,
      from: 'Test <no-reply@example.com>',
      sealKey: custody.deps.mailSealKey,
    })
  let mail = await startMailRole()
  const custodyServer = await listen((request, env) => custody.app.fetch(request, env), { port: 0 })
  const deps: signerApiApp.Deps = {
    db: (await custody.openAs('signer-api')).db,
    logger: custody.deps.logger,
    rootOrganizationId: custody.rootOrganizationId,
    urls: {
      custody: custodyServer.url,
      authFrame: 'http://localhost:4104',
      exportFrame: 'http://localhost:4105',
      importFrame: 'http://localhost:4112',
    },
    custodyUrl: custodyServer.url,
    apiKey: custody.rootKey,
    projects: custody.deps.projects ?? [],
    // A busy machine must not fail a test that is not about time.
    custodyTimeoutMs: 60_000,
    mailTimeoutMs: 60_000,
    exemptLoopback,
    ...options,
  }
  const app = signerApiApp(deps)
  return {
    custody,
    custodyUrl: custodyServer.url,
    inbox,
    app,
    deps,
    async post(path, body, headers = {}) {
      const response = await app.request(`/signer/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testApiKey}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status: response.status, headers: response.headers, json: await response.json() }
    },
    readLink(email) {
      const link = inbox.messages({ to: email })[0]?.links.find((text) => text.includes('bundle='))
      if (!link) throw new TypeError(`No link was mailed to ${email}.`)
      return new URL(link)
    },
    readCode(email) {
      const code = /^ {4}(\d{6,15})$/m.exec(inbox.messages({ to: email })[0]?.text ?? '')?.[1]
      if (!code) throw new TypeError(`No code was mailed to ${email}.`)
      return code
    },
    stopMail: () => mail.close(),
    async startMail() {
      mail = await startMailRole()
    },
    async close() {
      await mail.close()
      await inbox.close()
      await custodyServer.close()
      await custody.close()
    },
  }
}

const suite = new CipherSuite({ kem: new DhkemP256HkdfSha256(), kdf: new HkdfSha256(), aead: new Aes256Gcm() })

/** The embedded key of an auth frame, and what the frame does with a bundle: the session key it holds. */
export async function createTestFrame() {
  const pair = await suite.kem.generateKeyPair()
  const publicBytes = new Uint8Array(await suite.kem.serializePublicKey(pair.publicKey))
  return {
    targetPublicKey: Buffer.from(publicBytes).toString('hex'),
    async open(bundle: string): Promise<{ publicKey: string; privateKey: string }> {
      const bytes = createBase58check(sha256).decode(bundle)
      const enc = p256.Point.fromBytes(bytes.subarray(0, 33)).toBytes(false)
      const recipient = await suite.createRecipientContext({
        recipientKey: pair.privateKey,
        enc: Uint8Array.from(enc).buffer,
        info: new TextEncoder().encode('turnkey_hpke').buffer,
      })
      const opened = await recipient.open(
        Uint8Array.from(bytes.subarray(33)).buffer,
        Uint8Array.of(...enc, ...publicBytes).buffer,
      )
      const privateKey = new Uint8Array(opened)
      return {
        publicKey: Buffer.from(p256.getPublicKey(privateKey, true)).toString('hex'),
        privateKey: Buffer.from(privateKey).toString('hex'),
      }
    },
  }
}
