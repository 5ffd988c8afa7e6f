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

/** Level of the console, which is closed first; see `startParts`. */
const consoleLevel = 4

/** Parts of the devnet that can be stopped to simulate an outage. */
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
  /** Key of the devnet's operator: bearer token for the admin API. */
  operatorSecret: string
  /** Secret of the devnet's webhooks, to pass to `verifyWebhook` of `latchkey/webhooks`. */
  webhookSecret: string
  rootOrganizationId: string
  /** URL of the devnet's PostgreSQL, as the owner of the tables, for inspection. */
  databaseUrl: string
  addresses: DevAddresses
  chainId: number
  /** Milliseconds from the call of `startDevnet` until every part was ready. */
  readyMs: number
  /** Lists the e-mails in the inbox, newest first. */
  messages(filter?: { to?: string | undefined }): InboxMessage[]
  /** Stops a part. Resolves to a function that restarts the part on the same port. */
  interrupt(part: DevnetPart): Promise<() => Promise<void>>
  clock: DevnetClock
  faults: DevnetFaults
  /** Stops all parts and child processes. May be called more than once. */
  close(): Promise<void>
}

export declare namespace startDevnet {
  type Options = {
    /** Folder of the devnet's data. Created if missing; an existing devnet is resumed. @default `.latchkey` */
    dataDir?: string | undefined
    /** First of fifteen consecutive ports. @default 4100 */
    portBase?: number | undefined
    /** Whether to delete the data in the folder first. */
    fresh?: boolean | undefined
    /** Id of the chain. @default 31337 */
    chainId?: number | undefined
    /**
     * URL of a running node with anvil's methods, to use instead of starting a chain. The chain id is then the node's.
     */
    rpcUrl?: string | undefined
    /** Whether to serve the example wallet. @default true */
    example?: boolean | undefined
    /**
     * URLs of apps under development on this machine. Their pages may send requests, and e-mail links open them.
     * http://localhost:5173, http://localhost:3000 and http://localhost:4180 are always included.
     */
    appUrls?: readonly string[] | undefined
    /**
     * Host names under `localhost` for the wallet and its frames, to test several sites. `app.localhost` and
     * `keys.localhost` are two sites; `keys.app.localhost` belongs to the wallet's site. Browsers resolve these names,
     * but Node may not.
     *
     * @default 'localhost' for both
     */
    hosts?: DevnetHosts | undefined
    /**
     * Whether exports, changes of credentials and deletions require a confirmation by e-mail, as on a server.
     *
     * @default 'mail'
     */
    confirmations?: 'mail' | 'none' | undefined
    /**
     * Whether to support published clients of Account Kit completely: custody signs digests (see the signing rules),
     * and the export frame in the app shows secrets.
     *
     * @default false
     */
    publishedClients?: boolean | undefined
    /**
     * Whether published clients ask for the e-mail's six-digit code instead of its link (`signerCodes: 'preferred'`).
     *
     * @default false
     */
    prefersCodes?: boolean | undefined
    /** URL on this machine that receives all webhooks of the devnet. @default none */
    webhookUrl?: string | undefined
    /** Cache folder shared by this machine's devnets. @default the result of `cacheFolder` */
    cacheDir?: string | undefined
    /** Called with a line of text for each step. */
    log?: ((line: string) => void) | undefined
    /** Called when a part has exited unexpectedly and the whole devnet was closed. */
    onCrash?: ((error: DevError) => void) | undefined
    /** Aborts the start, which then throws `ABORTED` and stops running parts. */
    signal?: AbortSignal | undefined
  }
}

/**
 * Starts a devnet: chain, bundler, PostgreSQL, inbox, the server's roles and the example wallet.
 *
 * @throws `PORT_TAKEN` before anything starts, `DATA_DIR_TAKEN` if another devnet uses the same folder, `ABORTED`.
 * Parts that were already started are stopped first.
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

/** Fails the start if a part exits before the devnet is ready. Later, closes the devnet and calls `onCrash`. */
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
