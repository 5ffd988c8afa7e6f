import { randomBytes } from 'node:crypto'
import { type Address, createPublicClient, createTestClient, type Hex, http, type PublicClient } from 'viem'
import { devAccountOf } from '../../../dev/src/chain/devAccounts.ts'
import { gatewayApp } from '../../../server/src/gateway/app.ts'
import type { ChainOptions } from '../../../server/src/gateway/chains/ChainOptions.ts'
import { localServiceSigner } from '../../../server/src/keys/serviceSigner.ts'
import { openStore } from '../../../server/src/platform/database/openStore.ts'
import { listen } from '../../../server/src/platform/http/listen.ts'
import { upsertPolicy } from '../../../server/src/store/ledger/policies.ts'
import { upsertProject } from '../../../server/src/store/upsertProject.ts'
import { startTestChain, type TestChain } from '../chain.ts'
import { startTestDatabase } from '../database.ts'
import { asRole } from '../run/databaseServer.ts'
import { ownPaymasters } from './paymasters.ts'

export type RpcReply = { result?: unknown; error?: { code: number; message: string; data?: { code?: string } } }
export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>

export declare namespace TestGateway {
  type Options = {
    /** Chain with a bundler, shared with other tests. `close` does not stop it. */
    chain?: TestChain | undefined
    chainOptions?: Partial<ChainOptions> | undefined
    chainId?: number | undefined
    limits?: gatewayApp.Deps['limits']
    onLimit?: gatewayApp.Deps['onLimit']
    /** Whether the gateway tracks blocks and events in the background. */
    background?: boolean | undefined
  }
}

/** Starts the gateway on a chain with a bundler, with its own database and the project `app`. */
export async function startTestGateway(options: TestGateway.Options = {}) {
  const [chain, database] = await Promise.all([
    options.chain ?? startTestChain({ bundler: true, ...(options.chainId && { chainId: options.chainId }) }),
    startTestDatabase({ migrated: true }),
  ])
  const store = await openStore({ databaseUrl: database.url })
  const apiKey = randomBytes(16).toString('hex')
  await upsertProject(store.db, { id: 'app', name: 'App', apiKey, redirectUrls: [], allowedOrigins: [] })
  const own = await openStore({ databaseUrl: asRole(database.url, 'gateway') })
  await upsertPolicy(store.db, { projectId: 'app', id: 'default', isDefault: true })
  const chainOptions: ChainOptions = {
    chainId: chain.chainId,
    nodeUrls: [chain.nodeUrl],
    bundlerUrls: [chain.bundlerUrl],
    paymasters: ownPaymasters,
    // The test chain mines immediately, and reorganizes only if a test does so.
    confirmations: 0,
    pollMs: 20,
    ...options.chainOptions,
  }
  const closers: (() => Promise<void>)[] = []
  const deps: gatewayApp.Deps = {
    db: own.db,
    chains: [chainOptions],
    signer: localServiceSigner({ key: devAccountOf.paymasterSigner.privateKey }),
    limits: options.limits,
    onLimit: options.onLimit,
    ...(options.background ? { background: { store: own, onClose: (closer) => closers.push(closer) } } : {}),
  }
  const gateway = gatewayApp(deps)
  const transport = http(chain.nodeUrl)

  async function ask(method: string, params: unknown, app = gateway): Promise<RpcReply> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await app.request(`/v2/${apiKey}`, { method: 'POST', body })
    return (await response.json()) as RpcReply
  }

  async function askBatch(calls: { method: string; params: unknown }[]) {
    const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
    const text = await (await gateway.request(`/v2/${apiKey}`, { method: 'POST', body })).text()
    return { text, replies: JSON.parse(text) as RpcReply[] }
  }

  return {
    chainId: chain.chainId,
    db: store.db as gatewayApp.Deps['db'],
    deps,
    apiKey,
    /** URL for the gateway's user. `ownerUrl` is for the tables' owner. */
    databaseUrl: own.databaseUrl,
    ownerUrl: database.url,
    app: gateway,
    node: chain as TestChain,
    request: chain.request as TestChain['request'],
    chain: chainOptions,
    /** Returns another gateway on the same database with other chain options. */
    withChain: (change: Partial<ChainOptions>) => gatewayApp({ ...deps, chains: [{ ...chainOptions, ...change }] }),
    ask,
    askBatch,
    /** Client of the node, without the gateway. */
    client: createPublicClient({ transport }) as PublicClient,
    /** Serves the gateway, or `app`, over HTTP. The URL contains the project's key. */
    async serve(app = gateway) {
      const server = await listen(app.fetch, { port: 0 })
      return { url: `${server.url}/v2/${apiKey}`, close: server.close }
    },
    setBalance: (address: Address, value: bigint) =>
      createTestClient({ mode: 'anvil', transport }).setBalance({ address, value }),
    async waitForReceipt(hash: Hex) {
      for (let attempt = 0; attempt < 2_400; attempt++) {
        const { result } = await ask('eth_getUserOperationReceipt', [hash])
        if (result) return result as { success: boolean; paymaster: Hex; actualGasCost: Hex }
        await new Promise((resolve) => setTimeout(resolve, 25))
      }
      return undefined
    },
    async close() {
      for (const closer of closers) await closer()
      await own.close()
      await store.close()
      await database.close()
      if (!options.chain) await chain.close()
    },
  }
}
