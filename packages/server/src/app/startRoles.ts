import { adminApp } from '../admin/app.ts'
import { consoleApp } from '../console/app.ts'
import { custodyApp } from '../custody/app.ts'
import type { CustodyDeps } from '../custody/deps.ts'
import { ensureRoot } from '../custody/organizations/ensureRoot.ts'
import { framesApp } from '../frames/app.ts'
import { gatewayApp } from '../gateway/app.ts'
import { listenForOperations } from '../gateway/operations/operationNotifier.ts'
import type { watchPaymasters } from '../gateway/paymasters/watchPaymasters.ts'
import { bundleSigningPublicKey } from '../keys/bundleSigningPublicKey.ts'
import { openServiceSigner } from '../keys/openServiceSigner.ts'
import { startMail } from '../mail/startMail.ts'
import { parseKey } from '../platform/crypto/parseKey.ts'
import type { RoleClock } from '../platform/database/devnetClock.ts'
import { derive } from '../platform/derive.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { isSecureUrl } from '../platform/http/fetchBounded.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { signerApiApp } from '../signerApi/app.ts'
import { createEventStream } from '../store/createEventStream.ts'
import { startWebhooks } from '../webhooks/startWebhooks.ts'
import type { LiveOptions, ReloadStep } from './createReload.ts'
import { custodyKeyEncryption } from './custodyKeyEncryption.ts'
import { declarePolicies } from './declarePolicies.ts'
import type { Stores } from './openStores.ts'
import type { ProjectOptions, Role, ServerOptions } from './options.ts'
import { toConfirmationUrl } from './toConfirmationUrl.ts'

/** Milliseconds that a changed policy waits for its project, since custody may read the changed file slightly later. */
const reloadWaitMs = 3_000

type LowDeposit = Parameters<NonNullable<watchPaymasters.Parameters['onLow']>>[0]

/** Serves the requests of one role. */
export type App = { fetch(request: Request, env?: object): Response | Promise<Response> }

type Parts = {
  /** Options at startup. */
  options: ServerOptions
  /** Options that may change; read at each use. */
  live: LiveOptions
  stores: Stores
  clock: RoleClock
  logger: Logger
  /** Aborted when the server stops, to end long-running requests. */
  draining: AbortSignal
  /** Adds a step that runs before changed options take effect. */
  onReload(step: ReloadStep): void
  onClose(closer: () => Promise<void>): void
}

/** Starts the chosen roles from their options, and returns the apps of those that serve requests. */
export async function startRoles(parts: Parts): Promise<ReadonlyMap<Role, App>> {
  const apps = new Map<Role, App>()
  for (const role of new Set(parts.options.roles)) {
    const app = await starters[role](parts)
    if (app) apps.set(role, app)
  }
  return apps
}

const starters: Record<Role, (parts: Parts) => Promise<App | undefined> | App> = {
  custody({ options, live, stores, clock, logger, onReload, onClose }) {
    const custody = given(options.custody, 'custody')
    const deps: CustodyDeps = {
      db: given(stores.get('custody'), 'custody').db,
      logger,
      rootOrganizationId: options.rootOrganizationId,
      rootApiPublicKey: custody.rootApiPublicKey,
      get projects() {
        return live.current.projects
      },
      stepUp: custody.stepUp,
      get console() {
        return live.current.console
      },
      keyEncryption: custodyKeyEncryption(custody),
      mailSealKey: parseKey(custody.mailSealKey, 'custody.mailSealKey'),
      bundleSigningKey: readBundleSigningKey(custody.bundleSigningKey),
      allowedSkewMs: custody.allowedSkewMs,
      confirmationUrl: toConfirmationUrl(options.urls.authFrame),
      deletionGraceMs: custody.deletionGraceMs,
      trustedProxies: options.trustedProxies,
      exemptLoopback: options.exemptLoopback,
      now: clock.now,
      onJump: clock.onJump,
      onClose,
    }
    onReload(async (next) => {
      const known = new Set(listParents(live.current))
      const isNew = listParents(next).some((id) => !known.has(id))
      if (isNew) await ensureRoot({ ...deps, projects: next.projects })
    })
    return custodyApp(deps)
  },
  'signer-api': ({ options, live, stores, clock, logger }) => {
    const { custodyTls, ...signerApi } = given(options.signerApi, 'signerApi')
    const { db } = given(stores.get('signer-api'), 'signer-api')
    if (custodyTls !== 'off') assertSecure([signerApi.custodyUrl, options.urls.custody])
    return signerApiApp({
      db,
      logger,
      onLimit: createEventStream({ db, logger, readProjects: () => live.current.projects, now: clock.now }).hitLimit,
      rootOrganizationId: options.rootOrganizationId,
      get projects() {
        return live.current.projects
      },
      urls: options.urls,
      get jwt() {
        return live.current.jwt
      },
      trustedProxies: options.trustedProxies,
      exemptLoopback: options.exemptLoopback,
      now: clock.now,
      ...signerApi,
    })
  },
  async mail({ options, stores, clock, logger, onClose }) {
    const { sealKey, ...rest } = given(options.mail, 'mail')
    const store = given(stores.get('mail'), 'mail')
    const parts = { store, logger, now: clock.now, sealKey: parseKey(sealKey, 'mail.sealKey') }
    const mail = await startMail({ ...rest, ...parts })
    onClose(() => mail.close())
    return undefined
  },
  async gateway({ options, live, stores, clock, logger, draining, onReload, onClose }) {
    const { paymasterKey, mode = 'production', policies, webhookKey, ...gateway } = given(options.gateway, 'gateway')
    const store = given(stores.get('gateway'), 'gateway')
    const { db } = store
    await declarePolicies(db, { policies, projects: options.projects, webhookKey })
    onReload((next) =>
      declarePolicies(db, {
        policies: next.gateway?.policies,
        projects: next.projects,
        webhookKey,
        waitMs: reloadWaitMs,
      }),
    )
    const events = createEventStream({ db, logger, readProjects: () => live.current.projects, now: clock.now })
    return gatewayApp({
      db,
      logger,
      get projects() {
        return live.current.projects
      },
      get jwt() {
        return live.current.jwt
      },
      trustedProxies: options.trustedProxies,
      exemptLoopback: options.exemptLoopback,
      now: clock.now,
      ...gateway,
      confirmationUrl: toConfirmationUrl(options.urls.authFrame),
      background: { store, onClose },
      onLimit: events.hitLimit,
      onLowDeposit: (low) => events.tellAll(toLowDeposit(low), 6),
      draining,
      webhookKey: webhookKey === undefined ? undefined : parseKey(webhookKey, 'gateway.webhookKey'),
      signer: await openServiceSigner({ key: paymasterKey, mode }),
    })
  },
  async webhooks({ options, live, stores, clock, logger, onClose }) {
    const store = given(stores.get('webhooks'), 'webhooks')
    const { mode, secrets } = given(options.webhooks, 'webhooks')
    const readConfig = derive(
      () => live.current,
      ({ projects, webhooks }) => ({ projects, secrets: webhooks?.secrets ?? secrets }),
    )
    const webhooks = startWebhooks({ mode, store, readConfig, clock, logger })
    onClose(webhooks.close)
    return undefined
  },
  admin({ options, live, stores, clock, logger, draining, onClose }) {
    const { operatorKey, ...admin } = given(options.admin, 'admin')
    const { db, databaseUrl } = given(stores.get('admin'), 'admin')
    const notifier = listenForOperations({ databaseUrl, logger })
    onClose(notifier.close)
    return adminApp({
      db,
      logger,
      notifier,
      closing: draining,
      rootOrganizationId: options.rootOrganizationId,
      get projects() {
        return live.current.projects
      },
      get console() {
        return live.current.console
      },
      trustedProxies: options.trustedProxies,
      exemptLoopback: options.exemptLoopback,
      now: clock.now,
      ...admin,
      chains: admin.chains ?? options.gateway?.chains,
      get tryProject() {
        return live.current.admin?.tryProject
      },
      key: parseKey(operatorKey, 'admin.operatorKey'),
    })
  },
  frames({ options, live, logger }) {
    assertSameSigner(options)
    const custodyUrl = options.urls.custody || undefined
    trustedProjects(options)
    return framesApp({
      get projects() {
        return trustedProjects(live.current)
      },
      custodyUrl,
      gatewayUrl: options.urls.gateway,
      logger,
      // A server that also runs custody derives the public key from custody's private key.
      ...(options.custody?.bundleSigningKey && {
        bundleSigningPublicKey: bundleSigningPublicKey(options.custody.bundleSigningKey),
      }),
      ...options.frames,
    })
  },
  console({ options, logger }) {
    const { url, adminUrl } = given(options.console, 'console')
    if (new Set(options.roles).size > 1)
      throw configInvalid('The console holds sessions of operators: give it a server, and so an origin, of its own.')
    if (adminUrl === undefined)
      throw configInvalid('The console needs the admin API: give console.adminUrl (LATCHKEY_ADMIN_URL).')
    if (!isSecureUrl(adminUrl))
      throw configInvalid('console.adminUrl (LATCHKEY_ADMIN_URL) must be https, except on this machine.')
    return consoleApp({ adminUrl, publicUrl: url, trustedProxies: options.trustedProxies, logger })
  },
}

function listParents({ projects = [] }: ServerOptions): string[] {
  return projects.flatMap(({ organizationId }) => organizationId?.toLowerCase() ?? [])
}

function toLowDeposit({ chainId, state, lowBelow }: LowDeposit) {
  const { entryPoint, paymaster, deposit } = state
  return {
    type: 'deposit.low' as const,
    once: `deposit ${chainId} ${entryPoint} ${paymaster}`,
    data: { chainId, entryPoint, paymaster, deposit: String(deposit), lowBelow: String(lowBelow) },
  }
}

/** Returns only the configured projects, so that database write access does not suffice to embed a frame. */
function trustedProjects({ projects }: ServerOptions): readonly ProjectOptions[] {
  if (projects) return projects
  throw configInvalid(
    'The frames answer only to the pages of configured projects, not to those of the database. Give `projects` (LATCHKEY_PROJECTS_FILE).',
  )
}

/** Requires TLS for custody's URL, except on this machine, since requests to it contain stamps and e-mail addresses. */
function assertSecure(custodyUrls: readonly string[]): void {
  if (custodyUrls.every(isSecureUrl)) return
  throw configInvalid(
    'The URLs of custody must be https, except on this machine. On a network of your own, signerApi.custodyTls "off" (LATCHKEY_CUSTODY_TLS=off) lifts that.',
  )
}

/** Checks that the page trusts custody's key; otherwise it would refuse every bundle. */
function assertSameSigner({ custody, frames }: ServerOptions): void {
  if (!frames?.bundleSigningPublicKey || !custody?.bundleSigningKey) return
  if (bundleSigningPublicKey(custody.bundleSigningKey) === frames.bundleSigningPublicKey.toLowerCase()) return
  throw configInvalid('frames.bundleSigningPublicKey is not the public key of custody.bundleSigningKey.')
}

function readBundleSigningKey(key: string | undefined): Uint8Array | undefined {
  if (key === undefined) return undefined
  // Throws for an invalid private key.
  bundleSigningPublicKey(key)
  return parseKey(key, 'custody.bundleSigningKey')
}

function given<value>(value: value | undefined, name: string): value {
  if (value !== undefined) return value
  throw configInvalid(`A role was chosen whose options are missing: give \`${name}\`.`)
}
