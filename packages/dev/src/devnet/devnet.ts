import { resolve } from 'node:path'
import { type DevAddresses, devAddresses } from '../chain/devAddresses.ts'
import { DevError } from '../errors.ts'
import type { InboxMessage } from '../inbox/createMessageStore.ts'
import { parseAppUrl } from './appUrls.ts'
import { createDevnetClock, type DevnetClock } from './createDevnetClock.ts'
import type { DevnetFaults } from './createDevnetFaults.ts'
import { createStack } from './createStack.ts'
import { cacheFolder, clearDevnet, lockFolder } from './dataFolder.ts'
import { type DevnetHosts, devnetUrls, type UrlAt } from './devnetHosts.ts'
import { checkPorts, devnetPorts, type PortName } from './devnetPorts.ts'
import { type DevnetSecrets, devnetSecrets, devnetWebhookSecret } from './devnetSecrets.ts'
import { serveConsole } from './serveConsole.ts'
import { startParts } from './startParts.ts'
import { devApiKey, devPolicyId, type startRoles } from './startRoles.ts'

/** Closed before everything it depends on, see `startParts`. */
const consoleLevel = 4

/** Parts that can be stopped to simulate an outage. */
export type DevnetPart = 'mail' | 'bundler' | startRoles.Name

export type Devnet = {
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
    | 'provider'
    | 'node'
    | 'bundler',
    string
  >
  smtpPort: number
  apiKey: string
  policyId: string
  /** Key of the devnet's operator: the bearer of the admin API. */
  operatorSecret: string
  /** Secret of the devnet's webhooks, to pass to `verifyWebhook` of `latchkey/webhooks`. */
  webhookSecret: string
  rootOrganizationId: string
  /** The devnet's PostgreSQL, as the owner of its tables, for inspection. */
  databaseUrl: string
  addresses: DevAddresses
  chainId: number
  /** Milliseconds from the call of `startDevnet` until every part was ready. */
  readyMs: number
  /** Mails in the inbox, newest first. */
  messages(filter?: { to?: string | undefined }): InboxMessage[]
  /** Stops a part. Resolves with a function that restarts it on the same port. */
  interrupt(part: DevnetPart): Promise<() => Promise<void>>
  clock: DevnetClock
  faults: DevnetFaults
  /** Ends every part and every child process. Safe to call twice. */
  close(): Promise<void>
}

export declare namespace startDevnet {
  type Options = {
    /** Folder of the devnet's data; created if missing, resumed if present. @default `.latchkey` */
    dataDir?: string | undefined
    /** First of fifteen consecutive ports. @default 4100 */
    portBase?: number | undefined
    /** Whether to delete the folder's data first. */
    fresh?: boolean | undefined
    /** Id of the started chain. @default 31337 */
    chainId?: number | undefined
    /** A running anvil-like node to use instead of starting a chain; its chain id applies. */
    rpcUrl?: string | undefined
    /** Whether to serve the example wallet. @default true */
    example?: boolean | undefined
    /**
     * Pages of an app under development, on this machine: their origins may call, and mail links lead there.
     * http://localhost:5173, http://localhost:3000 and http://localhost:4180 are always included.
     */
    appUrls?: readonly string[] | undefined
    /**
     * Host names under `localhost` for the wallet and its frames, to test other sites: `app.localhost` and
     * `keys.localhost` are two sites, while `keys.app.localhost` belongs to the wallet's site. Browsers resolve these
     * names; Node may not.
     *
     * @default 'localhost' for both
     */
    hosts?: DevnetHosts | undefined
    /**
     * Whether exports, credentials and deletion wait for a mail's link, as on a server.
     *
     * @default 'mail'
     */
    confirmations?: 'mail' | 'none' | undefined
    /**
     * Whether published clients of Account Kit work in full: custody signs digests (see the signing rules), and the
     * export frame in the app shows secrets.
     *
     * @default false
     */
    publishedClients?: boolean | undefined
    /**
     * Whether published clients ask for the code of the email, of six digits, instead of its link (`signerCodes:
     * 'preferred'`).
     *
     * @default false
     */
    prefersCodes?: boolean | undefined
    /** URL for all of the devnet's webhooks, on this machine. @default none */
    webhookUrl?: string | undefined
    /** Cache folder shared by this machine's devnets. @default see `cacheFolder` */
    cacheDir?: string | undefined
    /** Called with a line for each step. */
    log?: ((line: string) => void) | undefined
    /** Called after a part ended by itself and the whole devnet was closed. */
    onCrash?: ((error: DevError) => void) | undefined
    /** Aborts the start: it throws `ABORTED` and stops running parts. */
    signal?: AbortSignal | undefined
  }
}

/**
 * Starts the whole devnet: chain, bundler, PostgreSQL, inbox, the server's roles and the example wallet.
 *
 * @throws `PORT_TAKEN` before anything starts, `DATA_DIR_TAKEN` if another devnet uses the same folder, `ABORTED`;
 * started parts are stopped first
 *
 * @example
 * ```ts
 * import { startDevnet } from 'latchkey-dev'
 *
 * const devnet = await startDevnet({ portBase: 5100, example: false })
 * console.log(devnet.urls.inbox)
 * await devnet.close()
 * ```
 */
export async function startDevnet(options: startDevnet.Options = {}): Promise<Devnet> {
  const began = performance.now()
  const dataDir = resolve(options.dataDir ?? '.latchkey')
  options.appUrls?.forEach(parseAppUrl)
  const ports = devnetPorts(options.portBase ?? 4100)
  const at = devnetUrls(ports, options.hosts)
  const stack = createStack()
  const watch = crashWatch(stack, options.onCrash)
  const abort = (): void => watch.crash(new DevError('The start was aborted.', { code: 'ABORTED' }))
  try {
    const lock = lockFolder(dataDir)
    await stack.add(0, async () => lock.release())
    await checkPorts(ports, usedPorts(options))
    if (options.fresh) clearDevnet(dataDir)
    const secrets = devnetSecrets(dataDir)
    const { chainId = 31_337, rpcUrl, example = true, appUrls = [], log = () => undefined } = options
    const { confirmations = 'mail', publishedClients = false, cacheDir = cacheFolder(dataDir) } = options
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
      publishedClients,
      prefersCodes: options.prefersCodes ?? false,
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
    const devnet = toDevnet({ parts, at, smtpPort: ports.smtp, secrets, stack, readyMs })
    const shown = await serveConsole({ port: ports.console, devnet, log })
    await stack.add(consoleLevel, shown.close)
    return devnet
  } catch (error) {
    await stack.close()
    throw error
  }
}

/** A crash before the devnet is ready fails the start; later it closes the devnet and is reported. */
function crashWatch(stack: createStack.ReturnType, onCrash: startDevnet.Options['onCrash']) {
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

function usedPorts({ example = true, rpcUrl }: startDevnet.Options): PortName[] {
  const frames = ['authFrame', 'exportFrame', 'importFrame'] as const
  const roles = ['signerApi', 'custody', 'gateway', 'admin', 'console'] as const
  const names: PortName[] = [...roles, ...frames, 'inbox', 'smtp', 'provider', 'bundler', 'database']
  if (example) names.unshift('wallet')
  if (!rpcUrl) names.push('node')
  return names
}

type Running = {
  parts: startParts.ReturnType
  at: UrlAt
  smtpPort: number
  secrets: DevnetSecrets
  stack: createStack.ReturnType
  readyMs: number
}

function toDevnet({ parts, at, smtpPort, secrets, stack, readyMs }: Running): Devnet {
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
      provider: at('provider'),
      node: parts.node.url,
      bundler: at('bundler'),
    },
    smtpPort,
    apiKey: devApiKey,
    policyId: devPolicyId,
    operatorSecret: secrets.operatorSecret,
    webhookSecret: devnetWebhookSecret(secrets),
    rootOrganizationId: secrets.rootOrganizationId,
    databaseUrl: parts.databaseUrl,
    addresses: devAddresses,
    chainId: parts.node.chainId,
    readyMs,
    messages: parts.inbox.messages,
    clock: createDevnetClock(parts),
    faults: parts.faults,
    async interrupt(part) {
      await interruptible[part].stop()
      return () => interruptible[part].start()
    },
    close: () => stack.close(),
  }
}
