import { Aes256Gcm, CipherSuite, DhkemP256HkdfSha256, HkdfSha256 } from '@hpke/core'
import { p256 } from '@noble/curves/nist.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { freePorts } from '../../dev/src/devnet/freePorts.ts'
import { startInbox } from '../../dev/src/inbox/startInbox.ts'
import { startMail } from '../../server/src/mail/startMail.ts'
import { listen } from '../../server/src/platform/http/listen.ts'
import { signerApiApp } from '../../server/src/signerApi/app.ts'
import type { upsertProject } from '../../server/src/store/upsertProject.ts'
import { startTestCustody, type TestCustody } from './custody.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies of many shapes.
type Reply = { status: number; headers: Headers; json: any }

/** Origin that the project of `startTestCustody` allows. */
export const testOrigin = 'http://localhost:4100'
export const testApiKey = 'test-api-key'

export type TestSignerApi = Awaited<ReturnType<typeof startTestSignerApi>>

/** Starts signer API, custody, mail role and an SMTP inbox in one process with their own database. */
export async function startTestSignerApi({
  project,
  projects,
  ...options
}: Partial<signerApiApp.Deps> & {
  project?: Partial<upsertProject.Parameters>
  projects?: readonly upsertProject.Parameters[]
} = {}) {
  const { exemptLoopback = true } = options
  const custody = await startTestCustody({ exemptLoopback, ...(project && { project }), ...(projects && { projects }) })
  // A reserved port, because another program could take a system-assigned port while the mail server is down.
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
    projects: custody.deps.projects,
    // Long timeouts, so that a busy machine does not fail tests of other behavior.
    custodyTimeoutMs: 60_000,
    mailTimeoutMs: 60_000,
    exemptLoopback,
    ...options,
  }
  const app = signerApiApp(deps)
  return {
    custody: custody as TestCustody,
    custodyUrl: custodyServer.url,
    inbox,
    app,
    deps,
    /** POSTs to `/signer/v1/<path>` with the test project's key, unless `headers` contain another. */
    async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Reply> {
      const response = await app.request(`/signer/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testApiKey}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      return { status: response.status, headers: response.headers, json: await response.json() }
    },
    /** Returns the newest link that was sent to an e-mail address. */
    readLink(email: string) {
      const link = inbox.messages({ to: email })[0]?.links.find((text) => text.includes('bundle='))
      if (!link) throw new TypeError(`No link was mailed to ${email}.`)
      return new URL(link)
    },
    readCode(email: string) {
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

/** Creates an auth frame with an embedded key, which decrypts bundles. */
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
