import { join } from 'node:path'
import { startBundler } from '../bundler/startBundler.ts'
import { devAddresses } from '../chain/devAddresses.ts'
import { guardNode, hiddenAddress } from '../chain/guardNode.ts'
import { prepareChain } from '../chain/prepareChain.ts'
import { rpc } from '../chain/rpc.ts'
import { startChain } from '../chain/startChain.ts'
import { startDatabase } from '../database/startDatabase.ts'
import { DevError } from '../errors.ts'
import { startInbox } from '../inbox/startInbox.ts'
import { registeredPages } from './appUrls.ts'
import type { createStack } from './createStack.ts'
import { cacheFolder } from './dataFolder.ts'
import { serveExample } from './serveExample.ts'
import { devApiKey, devPolicyId, startRoles } from './startRoles.ts'
import type { WorldPorts } from './worldPorts.ts'
import type { WorldSecrets } from './worldSecrets.ts'

export declare namespace startParts {
  type Context = {
    dataDir: string
    cacheDir: string | undefined
    ports: WorldPorts
    secrets: WorldSecrets
    chainId: number
    rpcUrl: string | undefined
    example: boolean
    appUrls: readonly string[]
    confirmations: 'mail' | 'none'
    stack: createStack.ReturnType
    log(line: string): void
    /** Called when a child ends by itself. */
    crash(error: DevError): void
  }
  type ReturnType = {
    node: { url: string; chainId: number }
    bundler: Restartable
    inbox: startInbox.ReturnType
    roles: startRoles.ReturnType['roles']
  }
  /** A part that can be stopped and started again on its port. */
  type Restartable = { stop(): Promise<void>; start(): Promise<void> }
}

/**
 * Levels of the stack: a part is closed before those it depends on. The folder's lock is level 0, and stays until nothing is
 * starting any more.
 */
const level = { starting: 0.5, ground: 1, bundler: 2, roles: 3 } as const

/** Starts everything, side by side as far as it can. Each part goes on the stack the moment it runs. */
export async function startParts(context: startParts.Context): Promise<startParts.ReturnType> {
  const hidden = await hiddenAddress(context.ports.node)
  const node = startNode(context, hidden)
  // Our own chain's URL and id are known before it runs; a given node has to be asked first.
  const nodeKnown = context.rpcUrl ? node : Promise.resolve(ownNode(context, hidden))
  const database = step(context, 'PostgreSQL', () =>
    startDatabase({
      dataDir: context.dataDir,
      port: context.ports.database,
      password: context.secrets.databasePassword,
      onExit: context.crash,
    }),
  ).then((started) => keep(context, level.ground, started))

  const inbox = step(context, 'inbox', () =>
    startInbox({ smtpPort: context.ports.smtp, httpPort: context.ports.inbox }),
  ).then((started) => keep(context, level.ground, started))

  const roles = Promise.all([database, nodeKnown]).then(([{ url }, known]) =>
    step(context, 'server', () => startServer(context, url, known)),
  )
  const starting = [
    node,
    node.then(({ innerUrl }) => startRestartableBundler(context, innerUrl)),
    inbox,
    roles,
    nodeKnown.then((known) => startExample(context, known)),
    database,
  ] as const
  await context.stack.add(level.starting, async () => void (await Promise.allSettled(starting)))
  const [started, bundler, mail, server] = await Promise.all(starting)
  return { node: started, bundler, inbox: mail, roles: server.roles }
}

async function step<T>(context: startParts.Context, name: string, start: () => Promise<T>): Promise<T> {
  if (context.stack.isClosing()) throw new DevError(`${name} is not started any more.`, { code: 'ABORTED' })
  const began = performance.now()
  const result = await start()
  context.log(`${name} is up (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  return result
}

/** Puts a part on the stack. */
async function keep<T extends { close(): Promise<void> }>(
  context: startParts.Context,
  level: number,
  part: T,
): Promise<T> {
  await context.stack.add(level, () => part.close())
  return part
}

/** `url` is for pages and programs; our own parts use `innerUrl`, behind `guardNode`. */
type Node = { url: string; innerUrl: string; chainId: number }

function ownNode({ ports, chainId }: startParts.Context, { host, port }: hiddenAddress.ReturnType): Node {
  return { url: `http://localhost:${ports.node}`, innerUrl: `http://${host}:${port}`, chainId }
}

async function startNode(context: startParts.Context, hidden: hiddenAddress.ReturnType): Promise<Node> {
  const { rpcUrl, chainId, ports } = context
  if (rpcUrl) {
    await step(context, 'chain', () => prepareChain({ rpcUrl }))
    const id = Number(await rpc<string>({ url: rpcUrl, method: 'eth_chainId' }))
    return { url: rpcUrl, innerUrl: rpcUrl, chainId: id }
  }
  const chain = await step(context, 'chain', () =>
    startChain({
      ...hidden,
      chainId,
      statePath: join(context.dataDir, 'chain', String(chainId), 'state.json'),
      cacheDir: context.cacheDir ?? cacheFolder(context.dataDir),
      onExit: context.crash,
    }),
  )
  await keep(context, level.ground, chain)
  const allowOrigins = registeredPages(`http://localhost:${ports.wallet}`, context.appUrls).origins
  await keep(context, level.roles, await guardNode({ port: ports.node, node: hidden, allowOrigins }))
  return ownNode(context, hidden)
}

async function startRestartableBundler(context: startParts.Context, nodeUrl: string): Promise<startParts.Restartable> {
  let running: startBundler.ReturnType | undefined
  async function start(): Promise<void> {
    running ??= await startBundler({
      port: context.ports.bundler,
      nodeUrl,
      entryPoints: Object.values(devAddresses.entryPoints),
      onExit: context.crash,
    })
  }
  async function stop(): Promise<void> {
    const stopping = running
    running = undefined
    await stopping?.close()
  }
  await step(context, 'bundler', start)
  await context.stack.add(level.bundler, stop)
  return { start, stop }
}

async function startServer(
  context: startParts.Context,
  databaseUrl: string,
  node: Node,
): Promise<startRoles.ReturnType> {
  const starting = startRoles({
    ports: context.ports,
    secrets: context.secrets,
    databaseUrl,
    smtpPort: context.ports.smtp,
    nodeUrl: node.innerUrl,
    chainId: node.chainId,
    paymasters: devAddresses.paymasters,
    pages: registeredPages(`http://localhost:${context.ports.wallet}`, context.appUrls),
    confirmations: context.confirmations,
    log: context.log,
  })
  // On the stack before it is up: the database must not be taken from under a migration.
  await context.stack.add(level.roles, () => starting.then((roles) => roles.close()))
  return starting
}

async function startExample(context: startParts.Context, node: Node): Promise<void> {
  if (!context.example) return
  const { ports } = context
  const at = (port: number): string => `http://localhost:${port}`
  const served = await serveExample({
    port: ports.wallet,
    config: {
      chainId: node.chainId,
      nodeUrl: node.url,
      gatewayUrl: `${at(ports.gateway)}/v2`,
      signerApiUrl: at(ports.signerApi),
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
    connect: [ports.signerApi, ports.custody, ports.gateway].map(at).concat(new URL(node.url).origin),
    frames: [ports.authFrame, ports.exportFrame, ports.importFrame].map(at),
  })
  await keep(context, level.roles, served)
}
