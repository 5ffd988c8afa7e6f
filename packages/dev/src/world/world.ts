import { resolve } from 'node:path'
import { type DevAddresses, devAddresses } from '../chain/devAddresses.ts'
import { DevError } from '../errors.ts'
import type { InboxMessage } from '../inbox/createMessageStore.ts'
import { parseAppUrl } from './appUrls.ts'
import { createStack } from './createStack.ts'
import { createWorldClock, type WorldClock } from './createWorldClock.ts'
import type { WorldFaults } from './createWorldFaults.ts'
import { cacheFolder, clearWorld, lockFolder } from './dataFolder.ts'
import { serveConsole } from './serveConsole.ts'
import { startParts } from './startParts.ts'
import { devApiKey, devPolicyId, type startRoles } from './startRoles.ts'
import { type UrlAt, type WorldHosts, worldUrls } from './worldHosts.ts'
import { checkPorts, type PortName, worldPorts } from './worldPorts.ts'
import { type WorldSecrets, worldSecrets, worldWebhookSecret } from './worldSecrets.ts'

/** Before all that it asks, see `startParts`. */
const consoleLevel = 4

/** Parts that can be taken away for a while, as an outage would. */
export type WorldPart = 'mail' | 'bundler' | startRoles.Name

export type World = {
  urls: Record<
    | 'wallet'
    | 'signerApi'
    | 'custody'
    | 'gateway'
    | 'authFrame'
    | 'exportFrame'
    | 'importFrame'
    | 'admin'
    | 'console'
    | 'inbox'
    | 'node'
    | 'bundler',
    string
  >
  smtpPort: number
  apiKey: string
  policyId: string
  /** Key of the world's operator: the bearer of the admin API. */
  operatorSecret: string
  /** What the world signs webhooks with, for `verifyWebhook` of `latchkey/webhooks`. */
  webhookSecret: string
  rootOrganizationId: string
  /** The world's PostgreSQL, as the owner of its tables: to look into. */
  databaseUrl: string
  addresses: DevAddresses
  chainId: number
  /** Milliseconds from the call of `startWorld` until every part was ready. */
  readyMs: number
  /** Mails in the inbox, newest first. */
  messages(filter?: { to?: string | undefined }): InboxMessage[]
  /** Takes a part away. Call what it resolves to, to bring it back on the same port. */
  interrupt(part: WorldPart): Promise<() => Promise<void>>
  clock: WorldClock
  faults: WorldFaults
  /** Ends every part and every child process. Safe to call twice. */
  close(): Promise<void>
}

export declare namespace startWorld {
  type Options = {
    /** Folder of the world's data; made where missing, resumed where found. @default `.latchkey` */
    dataDir?: string | undefined
    /** First of fourteen ports in a row. @default 4100 */
    portBase?: number | undefined
    /** Deletes what the folder holds first. */
    fresh?: boolean | undefined
    /** Id of the chain that is started. @default 31337 */
    chainId?: number | undefined
    /** A running anvil-like node to use; no chain is started then, and its chain id counts. */
    rpcUrl?: string | undefined
    /** Whether to serve the example wallet. @default true */
    example?: boolean | undefined
    /**
     * Pages of an app under development, on this machine: their origins may call, and mail links lead there.
     * http://localhost:5173, http://localhost:3000 and http://localhost:4180 always may.
     */
    appUrls?: readonly string[] | undefined
    /**
     * Names under `localhost` for the wallet and for its frames, to try out other sites: `app.localhost` and
     * `keys.localhost` are two, `keys.app.localhost` is on the wallet's own. Browsers resolve them; Node need not.
     *
     * @default 'localhost' for both
     */
    hosts?: WorldHosts | undefined
    /**
     * Whether exports, credentials and deletion wait for a link of a mail in the inbox, as on a server.
     *
     * @default 'mail'
     */
    confirmations?: 'mail' | 'none' | undefined
    /** Where the world's webhooks go, all types: a server of yours on this machine. @default nowhere */
    webhookUrl?: string | undefined
    /** Folder for what worlds of this machine share. @default see `cacheFolder` */
    cacheDir?: string | undefined
    /** A line for each step. */
    log?: ((line: string) => void) | undefined
    /** Called when a part ended by itself; by then the whole world has been closed. */
    onCrash?: ((error: DevError) => void) | undefined
    /** Aborts the start: it throws `ABORTED`, and the parts that run are ended. */
    signal?: AbortSignal | undefined
  }
}

/**
 * Starts the whole world: chain, bundler, PostgreSQL, inbox, the server's roles and the example wallet.
 *
 * @throws `PORT_TAKEN` before anything starts, `DATA_DIR_TAKEN` when another world runs on the same folder, `ABORTED`; the parts
 * that had started are ended first
 *
 * @example
 * ```ts
 * import { startWorld } from 'latchkey-dev'
 *
 * const world = await startWorld({ portBase: 5100, example: false })
 * console.log(world.urls.inbox)
 * await world.close()
 * ```
 */
export async function startWorld(options: startWorld.Options = {}): Promise<World> {
  const began = performance.now()
  const dataDir = resolve(options.dataDir ?? '.latchkey')
  options.appUrls?.forEach(parseAppUrl)
  const ports = worldPorts(options.portBase ?? 4100)
  const at = worldUrls(ports, options.hosts)
  const stack = createStack()
  const watch = crashWatch(stack, options.onCrash)
  const abort = (): void => watch.crash(new DevError('The start was aborted.', { code: 'ABORTED' }))
  try {
    const lock = lockFolder(dataDir)
    await stack.add(0, async () => lock.release())
    await checkPorts(ports, usedPorts(options))
    if (options.fresh) clearWorld(dataDir)
    const secrets = worldSecrets(dataDir)
    const { chainId = 31_337, rpcUrl, example = true, appUrls = [], log = () => undefined } = options
    const { confirmations = 'mail', cacheDir = cacheFolder(dataDir) } = options
    const context = {
      dataDir,
      cacheDir,
      ports,
      at,
      secrets,
      chainId,
      rpcUrl,
      example,
      appUrls,
      confirmations,
      webhookUrl: options.webhookUrl,
      stack,
      log,
      crash: watch.crash,
    }
    options.signal?.addEventListener('abort', abort, { once: true })
    const parts = await Promise.race([startParts(context), watch.beforeReady])
    watch.ready()
    options.signal?.removeEventListener('abort', abort)
    const readyMs = Math.round(performance.now() - began)
    const world = toWorld({ parts, at, smtpPort: ports.smtp, secrets, stack, readyMs })
    const shown = await serveConsole({ port: ports.console, world, log })
    await stack.add(consoleLevel, shown.close)
    return world
  } catch (error) {
    await stack.close()
    throw error
  }
}

/** A crash before the world is ready fails the start; later it closes the world and is reported. */
function crashWatch(stack: createStack.ReturnType, onCrash: startWorld.Options['onCrash']) {
  let fail: (error: DevError) => void = () => undefined
  const beforeReady = new Promise<never>((_, reject) => {
    fail = reject
  })
  beforeReady.catch(() => undefined)
  let isReady = false
  return {
    beforeReady,
    ready() {
      isReady = true
    },
    crash(error: DevError): void {
      if (!isReady) fail(error)
      else if (!stack.isClosing()) void stack.close().then(() => onCrash?.(error))
    },
  }
}

function usedPorts({ example = true, rpcUrl }: startWorld.Options): PortName[] {
  const frames = ['authFrame', 'exportFrame', 'importFrame'] as const
  const roles = ['signerApi', 'custody', 'gateway', 'admin', 'console'] as const
  const names: PortName[] = [...roles, ...frames, 'inbox', 'smtp', 'bundler', 'database']
  if (example) names.unshift('wallet')
  if (!rpcUrl) names.push('node')
  return names
}

type Running = {
  parts: startParts.ReturnType
  at: UrlAt
  smtpPort: number
  secrets: WorldSecrets
  stack: createStack.ReturnType
  readyMs: number
}

function toWorld({ parts, at, smtpPort, secrets, stack, readyMs }: Running): World {
  const interruptible = {
    mail: { stop: parts.inbox.stopSmtp, start: parts.inbox.startSmtp },
    bundler: parts.bundler,
    ...parts.roles,
  }
  return {
    urls: {
      wallet: at('wallet'),
      signerApi: at('signerApi'),
      custody: at('custody'),
      gateway: `${at('gateway')}/v2`,
      authFrame: at('authFrame'),
      exportFrame: at('exportFrame'),
      importFrame: at('importFrame'),
      admin: `${at('admin')}/admin/v1`,
      console: at('console'),
      inbox: at('inbox'),
      node: parts.node.url,
      bundler: at('bundler'),
    },
    smtpPort,
    apiKey: devApiKey,
    policyId: devPolicyId,
    operatorSecret: secrets.operatorSecret,
    webhookSecret: worldWebhookSecret(secrets),
    rootOrganizationId: secrets.rootOrganizationId,
    databaseUrl: parts.databaseUrl,
    addresses: devAddresses,
    chainId: parts.node.chainId,
    readyMs,
    messages: parts.inbox.messages,
    clock: createWorldClock(parts),
    faults: parts.faults,
    async interrupt(part) {
      await interruptible[part].stop()
      return () => interruptible[part].start()
    },
    close: () => stack.close(),
  }
}
