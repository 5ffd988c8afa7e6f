import { join } from 'node:path'
import { oauthPagePath } from 'latchkey-protocol'
import { listen } from 'latchkey-server'
import { startBundler } from '../bundler/startBundler.ts'
import { devAddresses } from '../chain/devAddresses.ts'
import { guardNode, hiddenAddress } from '../chain/guardNode.ts'
import { prepareChain } from '../chain/prepareChain.ts'
import { rpc } from '../chain/rpc.ts'
import { startChain } from '../chain/startChain.ts'
import { startDatabase } from '../database/startDatabase.ts'
import { DevError } from '../errors.ts'
import { startInbox } from '../inbox/startInbox.ts'
import { providerApp } from '../provider/providerApp.ts'
import { registeredPages } from './appUrls.ts'
import { createDevnetFaults, type DevnetFaults } from './createDevnetFaults.ts'
import type { createStack } from './createStack.ts'
import type { UrlAt } from './devnetHosts.ts'
import type { DevnetPorts } from './devnetPorts.ts'
import type { DevnetSecrets } from './devnetSecrets.ts'
import { serveExample } from './serveExample.ts'
import { devApiKey, devPolicyId, startRoles } from './startRoles.ts'

export declare namespace startParts {
  type Context = {
    dataDir: string
    cacheDir: string
    ports: DevnetPorts
    at: UrlAt
    secrets: DevnetSecrets
    chainId: number
    rpcUrl: string | undefined
    example: boolean
    appUrls: readonly string[]
    confirmations: 'mail' | 'none'
    publishedClients: boolean
    prefersCodes: boolean
    webhookUrl: string | undefined
    stack: createStack.ReturnType
    log(line: string): void
    /** Called when a child process exits unexpectedly. */
    crash(error: DevError): void
  }
  type ReturnType = {
    /** `innerUrl` bypasses `guardNode`, for the devnet's own parts. */
    node: { url: string; innerUrl: string; chainId: number }
    bundler: Restartable & { setAhead(aheadMs: number): Promise<void> }
    inbox: startInbox.ReturnType
    roles: startRoles.ReturnType['roles']
    /** `postgres://…` URL of the tables' owner. */
    databaseUrl: string
    faults: DevnetFaults
  }
  type Restartable = { stop(): Promise<void>; start(): Promise<void> }
}

/**
 * Levels of the stack. A part is closed before the parts it depends on. Level 0, the folder's lock, is released after
 * all starts have settled.
 */
const level = { starting: 0.5, ground: 1, bundler: 2, roles: 3 } as const

/** Starts all parts, in parallel where possible, and adds each to the stack once it runs. */
export async function startParts(context: startParts.Context): Promise<startParts.ReturnType> {
  const hidden = await hiddenAddress(context.ports.node)
  const node = startNode(context, hidden)
  // URL and id of the devnet's own chain are known before the chain runs. A given node must be queried first.
  const nodeKnown = context.rpcUrl ? node : Promise.resolve(ownNode(context, hidden))
  const { faults, before, deliver } = createDevnetFaults(() =>
    nodeKnown.then(({ innerUrl, chainId }) => ({ url: innerUrl, chainId })),
  )
  const database = step(context, 'PostgreSQL', () =>
    startDatabase({
      dataDir: context.dataDir,
      port: context.ports.database,
      password: context.secrets.databasePassword,
      onExit: context.crash,
    }),
  ).then((started) => keep(context, level.ground, started))

  const inbox = step(context, 'inbox', () =>
    startInbox({
      smtpPort: context.ports.smtp,
      httpPort: context.ports.inbox,
      pageUrl: `${context.at('console')}/inbox`,
      deliver,
    }),
  ).then((started) => keep(context, level.ground, started))

  const provider = step(context, 'identity provider', () => {
    const callbackUrl = `${context.at('authFrame')}${oauthPagePath}`
    const app = providerApp({ issuer: context.at('provider'), callbackUrl })
    return listen((request) => app.fetch(request), { port: context.ports.provider })
  }).then((started) => keep(context, level.ground, started))

  const roles = Promise.all([database, nodeKnown]).then(([{ url }, known]) =>
    step(context, 'server', () => startServer(context, { databaseUrl: url, node: known, nodeReady: node, before })),
  )
  const starting = [
    node,
    node.then(({ innerUrl }) => startRestartableBundler(context, innerUrl)),
    inbox,
    roles,
    nodeKnown.then((known) => startExample(context, known)),
    database,
    provider,
  ] as const
  await context.stack.add(level.starting, async () => void (await Promise.allSettled(starting)))
  const [started, bundler, mail, server, , { url: databaseUrl }] = await Promise.all(starting)
  // An earlier run may have changed the devnet's time.
  const aheadMs = (server.roles.custody.now() ?? Date.now()) - Date.now()
  if (aheadMs > 1_000) await bundler.setAhead(aheadMs)
  return { node: started, bundler, inbox: mail, roles: server.roles, databaseUrl, faults }
}

async function step<T>(context: startParts.Context, name: string, start: () => Promise<T>): Promise<T> {
  if (context.stack.isClosing()) throw new DevError(`${name} is no longer started.`, { code: 'ABORTED' })
  const began = performance.now()
  const result = await start()
  context.log(`${name} is up (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  return result
}

async function keep<T extends { close(): Promise<void> }>(
  context: startParts.Context,
  level: number,
  part: T,
): Promise<T> {
  await context.stack.add(level, () => part.close())
  return part
}

/** `url` is for pages and programs. The devnet's own parts use `innerUrl`, which bypasses `guardNode`. */
type Node = { url: string; innerUrl: string; chainId: number }

function ownNode({ ports, chainId }: startParts.Context, { host, port }: hiddenAddress.ReturnType): Node {
  return { url: `http://localhost:${ports.node}`, innerUrl: `http://${host}:${port}`, chainId }
}

async function startNode(context: startParts.Context, hidden: hiddenAddress.ReturnType): Promise<Node> {
  const { rpcUrl, chainId, ports } = context
  if (rpcUrl) {
    await step(context, 'chain', () => prepareChain({ rpcUrl, cacheDir: context.cacheDir }))
    const id = Number(await rpc<string>({ url: rpcUrl, method: 'eth_chainId' }))
    return { url: rpcUrl, innerUrl: rpcUrl, chainId: id }
  }
  const chain = await step(context, 'chain', () =>
    startChain({
      ...hidden,
      chainId,
      statePath: join(context.dataDir, 'chain', String(chainId), 'state.json'),
      cacheDir: context.cacheDir,
      onExit: context.crash,
    }),
  )
  await keep(context, level.ground, chain)
  const allowOrigins = registeredPages(context.at('wallet'), context.appUrls).origins
  await keep(context, level.roles, await guardNode({ port: ports.node, node: hidden, allowOrigins }))
  return ownNode(context, hidden)
}

async function startRestartableBundler(
  context: startParts.Context,
  nodeUrl: string,
): Promise<startParts.ReturnType['bundler']> {
  let running: startBundler.ReturnType | undefined
  let ahead = 0
  async function start(): Promise<void> {
    running ??= await startBundler({
      port: context.ports.bundler,
      nodeUrl,
      entryPoints: Object.values(devAddresses.entryPoints),
      cacheDir: context.cacheDir,
      onExit: context.crash,
    })
    if (ahead > 0) await running.setAhead(ahead)
  }
  async function setAhead(aheadMs: number): Promise<void> {
    ahead = aheadMs
    await running?.setAhead(aheadMs)
  }
  async function stop(): Promise<void> {
    const stopping = running
    running = undefined
    await stopping?.close()
  }
  await step(context, 'bundler', start)
  await context.stack.add(level.bundler, stop)
  return { start, stop, setAhead }
}

async function startServer(
  context: startParts.Context,
  given: Pick<startRoles.Parameters, 'databaseUrl' | 'nodeReady' | 'before'> & { node: Node },
): Promise<startRoles.ReturnType> {
  const { node, ...rest } = given
  const starting = startRoles({
    ...rest,
    ports: context.ports,
    at: context.at,
    secrets: context.secrets,
    smtpPort: context.ports.smtp,
    nodeUrl: node.innerUrl,
    chainId: node.chainId,
    paymasters: devAddresses.paymasters,
    pages: registeredPages(context.at('wallet'), context.appUrls),
    confirmations: context.confirmations,
    publishedClients: context.publishedClients,
    prefersCodes: context.prefersCodes,
    webhookUrl: context.webhookUrl,
    log: context.log,
  })
  // Added before it is ready, because the database must not be closed during a migration.
  await context.stack.add(level.roles, () => starting.then((roles) => roles.close()))
  return starting
}

async function startExample(context: startParts.Context, node: Node): Promise<void> {
  if (!context.example) return
  const { ports, at } = context
  const served = await serveExample({
    port: ports.wallet,
    config: {
      chainId: node.chainId,
      nodeUrl: node.url,
      gatewayUrl: `${at('gateway')}/v2`,
      signerApiUrl: at('signerApi'),
      apiKey: devApiKey,
      policyId: devPolicyId,
      addresses: {
        demo: devAddresses.demo,
        lightAccountFactory: devAddresses.lightAccount['v1.1.0'].factory,
        lightAccountV2Factory: devAddresses.lightAccount['v2.0.0'].factory,
        entryPoint06: devAddresses.entryPoints['0.6.0'],
        entryPoint07: devAddresses.entryPoints['0.7.0'],
        paymaster06: devAddresses.paymasters['0.6.0'],
        paymaster07: devAddresses.paymasters['0.7.0'],
      },
    },
    connect: [at('signerApi'), at('custody'), at('gateway')].concat(new URL(node.url).origin),
    frames: [at('authFrame'), at('exportFrame'), at('importFrame')],
  })
  await keep(context, level.roles, served)
}
