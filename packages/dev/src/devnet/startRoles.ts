import { createHash, createHmac } from 'node:crypto'
import { webhookTypes } from 'latchkey-protocol'
import { applyGrants, createServer, listen, migrate, ServerError } from 'latchkey-server'
import { devAccountOf } from '../chain/devAccounts.ts'
import type { devAddresses } from '../chain/devAddresses.ts'
import { DevError } from '../errors.ts'
import { devClientId } from '../provider/providerApp.ts'
import type { createDevnetFaults } from './createDevnetFaults.ts'
import type { UrlAt } from './devnetHosts.ts'
import type { DevnetPorts } from './devnetPorts.ts'
import { type DevnetSecrets, derivePublicKey, devnetWebhookSecret } from './devnetSecrets.ts'

export declare namespace startRoles {
  type Parameters = {
    ports: DevnetPorts
    at: UrlAt
    secrets: DevnetSecrets
    databaseUrl: string
    smtpPort: number
    nodeUrl: string
    /** Resolves once the node responds, which the gateway requires to start. */
    nodeReady: Promise<unknown>
    chainId: number
    /** Paymasters of kind `latchkey`. */
    paymasters: typeof devAddresses.paymasters
    /** Pages that may send requests and that e-mail links may open. */
    pages: { urls: string[]; origins: string[] }
    /** Whether changes of credentials require a confirmation by e-mail. */
    confirmations: 'mail' | 'none'
    /** Whether custody supports published clients: it signs digests and encrypts exports to the app's frame. */
    publishedClients: boolean
    /** Whether published clients ask for the e-mail's code instead of its link. */
    prefersCodes: boolean
    /** URL that receives webhooks. */
    webhookUrl: string | undefined
    /** Logs one line per server warning or error. */
    log(line: string): void
    /** Wraps a role's server, so that faults apply. */
    before: createDevnetFaults.ReturnType['before']
  }
  type Name = 'custody' | 'signerApi' | 'gateway' | 'authFrame' | 'exportFrame' | 'importFrame' | 'admin'
  type Part = {
    stop(): Promise<void>
    start(): Promise<void>
    /** Returns the role's time in milliseconds since the epoch; undefined while the role is stopped. */
    now(): number | undefined
  }
  type ReturnType = { roles: Readonly<Record<Name, Part>>; close(): Promise<void> }
}

/** API key that pages send. Not secret: all devnets use the same key. */
export const devApiKey = 'latchkey-dev'

const webhookSecretName = 'LATCHKEY_WEBHOOK_SECRET_DEV'

/** Gas policy of the devnet, which sponsors all operations of its project. */
export const devPolicyId = 'default'
/** Id of the same policy for clients that accept only UUIDs. */
export const devPolicyUuid = '00000000-0000-4000-8000-000000000001'

/** Spending limits in wei, higher than an app under development can reach. The chain's ether has no value. */
const devCosts = {
  operation: { cost: String(10n ** 18n) },
  policy: { day: { cost: String(10n ** 24n) } },
}

/** Starts the server's roles. Each has its own port, and therefore its own origin, as in production. */
export async function startRoles(given: startRoles.Parameters): Promise<startRoles.ReturnType> {
  const { ports, databaseUrl, secrets, before } = given
  await migrate({ databaseUrl })
  const { databaseUrls } = await applyGrants({ databaseUrl, passwords: rolePasswords(secrets) })
  const parameters = { ...given, databaseUrls }
  const roles = {
    custody: createRole(ports.custody, custodyOptions(parameters), (fetch) => before('custody', fetch)),
    signerApi: createRole(ports.signerApi, signerApiOptions(parameters)),
    gateway: createRole(ports.gateway, gatewayOptions(parameters), (fetch) => before('gateway', fetch)),
    authFrame: createRole(ports.authFrame, frameOptions(parameters, 'auth'), (fetch) => before('authFrame', fetch)),
    exportFrame: createRole(ports.exportFrame, frameOptions(parameters, 'export')),
    importFrame: createRole(ports.importFrame, frameOptions(parameters, 'import')),
    admin: createRole(ports.admin, adminOptions(parameters)),
  }
  const all = Object.values(roles)
  async function close(): Promise<void> {
    await Promise.allSettled(all.map((role) => role.stop()))
  }
  const settled = await Promise.allSettled(
    all.map(async (role) => {
      if (role === roles.gateway) await given.nodeReady
      await role.start()
    }),
  )
  const failed = settled.find((result) => result.status === 'rejected')
  if (failed) {
    await close()
    throw toDevError(failed.reason)
  }
  return { roles, close }
}

function toDevError(error: unknown): unknown {
  return error instanceof ServerError ? new DevError(error.message, { code: error.code, cause: error }) : error
}

function createRole(
  port: number,
  options: createServer.Options,
  around = (fetch: listen.Fetch): listen.Fetch => fetch,
): startRoles.Part {
  let stopRunning: (() => Promise<void>) | undefined
  let now: (() => number) | undefined
  return {
    now: () => now?.(),
    async start() {
      if (stopRunning) return
      const server = await createServer(options)
      try {
        const listener = await listen(around(server.fetch), { port })
        now = server.now
        stopRunning = async () => {
          await listener.close()
          await server.close()
        }
      } catch (error) {
        await server.close()
        throw error
      }
    },
    async stop() {
      const stop = stopRunning
      stopRunning = undefined
      now = undefined
      await stop?.()
    },
  }
}

/** Derives a password for each role's database user, so that no role can connect as another role. */
function rolePasswords({ databasePassword }: DevnetSecrets) {
  const derive = (role: string) => createHmac('sha256', databasePassword).update(role).digest('base64url')
  return {
    custody: derive('custody'),
    'signer-api': derive('signer-api'),
    mail: derive('mail'),
    gateway: derive('gateway'),
    webhooks: derive('webhooks'),
    admin: derive('admin'),
  }
}

/** Each URL in `databaseUrls` has the role's own database user, as in production. */
type Parameters = startRoles.Parameters & { databaseUrls: createServer.Options['databaseUrls'] }

function common(parameters: Parameters) {
  const { at, secrets, databaseUrls, pages, confirmations, publishedClients, prefersCodes, webhookUrl, log } =
    parameters
  return {
    logger: quietLogger(log),
    databaseUrls,
    // All clients are on this machine.
    exemptLoopback: true,
    devnetClock: true,
    rootOrganizationId: secrets.rootOrganizationId,
    projects: [
      {
        id: 'dev',
        name: 'Latchkey wallet',
        apiKey: devApiKey,
        redirectUrls: pages.urls,
        allowedOrigins: pages.origins,
        redirectParams: ['*'],
        confirmations,
        ...(publishedClients && {
          signing: { blind: 'allow' as const },
          exportsTo: 'frame' as const,
          importsTo: 'frame' as const,
        }),
        // For published clients. Latchkey's own client never sends a code to the signer API.
        ...(prefersCodes
          ? { signerCodes: 'preferred' as const, codes: 'six-digits' as const }
          : { signerCodes: 'allowed' as const }),
        movesIn: 'allowed' as const,
        oidcProviders: [devProvider(at('provider'))],
        ...(webhookUrl !== undefined && {
          webhooks: [{ id: 'app', url: webhookUrl, events: webhookTypes, secret: webhookSecretName }],
        }),
      },
    ],
    urls: {
      custody: at('custody'),
      authFrame: at('authFrame'),
      exportFrame: at('exportFrame'),
      importFrame: at('importFrame'),
      gateway: at('gateway'),
    },
  }
}

function devProvider(url: string) {
  return {
    id: 'dev',
    name: 'Devnet',
    issuer: url,
    audiences: [devClientId],
    algorithms: ['ES256' as const],
    jwksUrl: `${url}/jwks`,
    network: 'private' as const,
    provesEmail: true,
    client: { id: devClientId, authorizationUrl: `${url}/authorize`, tokenUrl: `${url}/token` },
  }
}

function custodyOptions(parameters: Parameters): createServer.Options {
  const { secrets, smtpPort } = parameters
  return {
    ...common(parameters),
    roles: ['custody', 'mail'],
    custody: {
      keyEncryption: { type: 'local', key: secrets.keyEncryptionKey },
      rootApiPublicKey: secrets.rootApiKey.publicKey,
      mailSealKey: secrets.mailSealKey,
      bundleSigningKey: secrets.bundleSigningKey,
    },
    mail: {
      smtpUrl: `smtp://127.0.0.1:${smtpPort}`,
      from: 'Latchkey <no-reply@latchkey.localhost>',
      sealKey: secrets.mailSealKey,
    },
  }
}

function signerApiOptions(parameters: Parameters): createServer.Options {
  const { at, secrets } = parameters
  return {
    ...common(parameters),
    roles: ['signer-api'],
    signerApi: { custodyUrl: at('custody'), apiKey: secrets.rootApiKey },
  }
}

/** Options of a role that serves a frame. The frame trusts only data that custody has signed. */
function frameOptions(parameters: Parameters, page: 'auth' | 'export' | 'import'): createServer.Options {
  const bundleSigningPublicKey = derivePublicKey(parameters.secrets.bundleSigningKey)
  return { ...common(parameters), roles: ['frames'], frames: { page, bundleSigningPublicKey } }
}

function gatewayOptions(parameters: Parameters): createServer.Options {
  return {
    ...common(parameters),
    // Webhooks run in the gateway's process, which is rarely busy.
    roles: parameters.webhookUrl === undefined ? ['gateway'] : ['gateway', 'webhooks'],
    webhooks: { secrets: { [webhookSecretName]: devnetWebhookSecret(parameters.secrets) }, mode: 'development' },
    gateway: {
      chains: listChains(parameters),
      paymasterKey: devAccountOf.paymasterSigner.privateKey,
      mode: 'development',
      policies: [devPolicyId, devPolicyUuid].map((id) => ({ id, rules: { limits: devCosts } })),
    },
  }
}

function listChains({ ports, nodeUrl, chainId, paymasters }: Parameters) {
  return [
    {
      chainId,
      nodeUrls: [nodeUrl],
      bundlerUrls: [`http://localhost:${ports.bundler}`],
      paymasters: {
        '0.6.0': { kind: 'latchkey', address: paymasters['0.6.0'] },
        '0.7.0': { kind: 'latchkey', address: paymasters['0.7.0'] },
        '0.8.0': { kind: 'latchkey', address: paymasters['0.8.0'] },
        '0.9.0': { kind: 'latchkey', address: paymasters['0.9.0'] },
      },
      // The chain mines only on demand, so a confirming block may never come.
      confirmations: 0,
      // A short interval, because polling the local node is cheap.
      pollMs: 20,
    },
  ] as const
}

/**
 * Options of the admin API. The devnet has one operator with all privileges, whose key is in the devnet's folder, which
 * pages cannot read.
 */
function adminOptions(parameters: Parameters): createServer.Options {
  const { operatorKey, operatorSecret } = parameters.secrets
  const secretHash = createHash('sha256').update(operatorSecret).digest('hex')
  return {
    ...common(parameters),
    roles: ['admin'],
    admin: {
      operatorKey,
      chains: listChains(parameters),
      operators: [{ id: 'dev', name: 'Devnet', role: 'admin', secretHash }],
    },
  }
}

/** Logs only failures, because the devnet prints its own lines. The server's log fields contain no secrets. */
function quietLogger(log: (line: string) => void): NonNullable<createServer.Options['logger']> {
  const say = (kind: string) => (fields: Record<string, unknown>, message: string) =>
    log(`server ${kind}: ${message} ${JSON.stringify(fields, errorsAsText)}`)
  return { info: () => undefined, warn: say('warning'), error: say('error') }
}

function errorsAsText(_: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value
}
