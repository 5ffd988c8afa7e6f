import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Abi, type Address, encodeFunctionData, type Hex, hexToNumber, parseAbi, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startBundler } from '../../dev/src/bundler/startBundler.ts'
import { devAccountOf, devAccounts } from '../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../dev/src/chain/devAddresses.ts'
import { devClient } from '../../dev/src/chain/devClient.ts'
import { prepareChain } from '../../dev/src/chain/prepareChain.ts'
import { rpc } from '../../dev/src/chain/rpc.ts'
import { startChain } from '../../dev/src/chain/startChain.ts'
import { freePorts } from '../../dev/src/world/freePorts.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const contracts = join(root, 'packages', 'contracts')

/** The first states are shared by all tests and runs: they depend on nothing but contracts and versions. */
export const cacheDir = join(root, '.cache', 'chain')

export type TestChain = Awaited<ReturnType<typeof startTestChain>>

/**
 * A dev chain of its own for one test file, with its bundler if asked for, in a folder that `close` removes. Under
 * `npm run test:contracts -- --rpc-url URL` it is that node instead, and `close` takes back what the tests did to it.
 */
export async function startTestChain(options: { chainId?: number; bundler?: boolean } = {}) {
  buildContracts()
  const { bundler = false } = options
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-chain-'))
  const foreign = process.env.LATCHKEY_CONTRACTS_RPC_URL
  const chainId = foreign ? await readChainId(foreign) : (options.chainId ?? 31337)
  const started = foreign
    ? await borrowNode({ url: foreign, chainId, bundler })
    : await startOnFreePorts({ folder, chainId, bundler })
  const { node } = started
  let { bundling } = started
  const connect = (privateKey: Hex) => devClient({ rpcUrl: node.url, chainId, privateKey })
  const request = <result = unknown>(method: string, params: readonly unknown[] = []) =>
    rpc<result>({ url: node.url, method, params })
  return {
    chainId,
    nodeUrl: node.url,
    /** Empty without a bundler. */
    bundlerUrl: bundling?.url ?? '',
    /** Ends the bundler as a crash would: what it held in memory is lost. */
    async killBundler() {
      if (bundling) process.kill(bundling.pid, 'SIGKILL')
      await bundling?.close()
    },
    /** Starts it again on its port. */
    async startBundlerAgain() {
      const entryPoints = Object.values(devAddresses.entryPoints)
      if (bundling)
        bundling = await startBundler({ port: readPort(bundling.url), nodeUrl: node.url, entryPoints, cacheDir })
    },
    request,
    /** A client of the node for one key. */
    connect,
    /** The same for one of the ready accounts. */
    client: (index: 0 | 1 | 2 | 3 | 4) => connect(devAccounts[index].privateKey),
    /** A new account with 100 ether, so that tests do not share one. */
    async freshAccount() {
      const privateKey = generatePrivateKey()
      const account = privateKeyToAccount(privateKey)
      await request('anvil_setBalance', [account.address, toHex(parseEther('100'))])
      return { ...account, privateKey }
    },
    async close() {
      await bundling?.close()
      await node.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const readPort = (url: string) => Number(new URL(url).port)

type Start = { folder: string; chainId: number; bundler: boolean }

/** A port found free may be taken before it is used: three attempts. */
async function startOnFreePorts({ folder, chainId, bundler }: Start) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePorts(2)
    let node: startChain.ReturnType | undefined
    try {
      node = await startChain({ port, chainId, statePath: join(folder, `state-${attempt}.json`), cacheDir })
      const entryPoints = Object.values(devAddresses.entryPoints)
      const bundling = bundler
        ? await startBundler({ port: port + 1, nodeUrl: node.url, entryPoints, cacheDir })
        : undefined
      return { node, bundling }
    } catch (error) {
      await node?.close()
      if (attempt < 3) continue
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }
}

const readChainId = async (url: string) => hexToNumber(await rpc<Hex>({ url, method: 'eth_chainId' }))

/** A node that runs already, with any code at the contracts' addresses; what is missing there is ours. */
async function borrowNode({ url, chainId, bundler }: { url: string; chainId: number; bundler: boolean }) {
  const request = <result = unknown>(method: string, params: readonly unknown[] = []) =>
    rpc<result>({ url, method, params })
  const snapshot = await request<Hex>('evm_snapshot')
  await prepareChain({ rpcUrl: url })
  const { lightAccount, multiOwnerLightAccount, modularAccount } = devAddresses
  for (const { factory } of [lightAccount['v2.0.0'], multiOwnerLightAccount['v2.0.0'], modularAccount])
    await takeOver(url, chainId, factory)
  const entryPoints = Object.values(devAddresses.entryPoints)
  const bundling = bundler
    ? await startBundler({ port: await freePorts(1), nodeUrl: url, entryPoints, cacheDir })
    : undefined
  return {
    node: {
      url,
      async close() {
        await request('evm_revert', [snapshot])
      },
    },
    bundling,
  }
}

/** Makes the keeper of our factories the owner of one that belongs to others. */
async function takeOver(rpcUrl: string, chainId: number, factory: Address): Promise<void> {
  const keeper = devAccountOf.paymasterOwner
  const { read, transact } = devClient({ rpcUrl, chainId, privateKey: keeper.privateKey })
  const abi = parseAbi([
    'function owner() view returns (address)',
    'function transferOwnership(address newOwner)',
    'function acceptOwnership()',
  ])
  const from = await read.readContract({ address: factory, abi, functionName: 'owner' })
  if (from === keeper.address) return
  const data = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [keeper.address] })
  await rpc({ url: rpcUrl, method: 'anvil_setBalance', params: [from, toHex(parseEther('1'))] })
  await rpc({ url: rpcUrl, method: 'anvil_impersonateAccount', params: [from] })
  await rpc({ url: rpcUrl, method: 'eth_sendTransaction', params: [{ from, to: factory, data }] })
  await transact({ to: factory, data: encodeFunctionData({ abi, functionName: 'acceptOwnership' }) })
}

/** Once a process: sources do not change while tests run. */
const built = new Set<string>()
function build(...options: string[]): void {
  if (built.has(options.join())) return
  execFileSync(process.execPath, [join(contracts, 'build.mjs'), ...options], { timeout: 170_000 })
  built.add(options.join())
}

/** What the dev chain places: the compiler is asked only where sources are not those of the committed contracts. */
export const buildContracts = (): void => build('--dev')

/** Artifacts of contracts that only tests deploy. Compiles them all where the named one is not committed. */
export function readArtifact(name: string): { abi: Abi; bytecode: Hex; deployedBytecode: Hex } {
  buildContracts()
  const kept = join(root, 'packages', 'testkit', 'artifacts', `${name}.json`)
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'))
  build()
  return JSON.parse(readFileSync(join(contracts, 'artifacts', `${name}.json`), 'utf8'))
}
