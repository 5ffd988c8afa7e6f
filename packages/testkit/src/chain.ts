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
import { freePorts } from '../../dev/src/devnet/freePorts.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const contracts = join(root, 'packages', 'contracts')

/** Cache of genesis states, shared by all tests and runs. They depend only on contracts and versions. */
export const cacheDir = join(root, '.cache', 'chain')

export type TestChain = Awaited<ReturnType<typeof startTestChain>>

/**
 * Starts a dev chain for one test file, optionally with a bundler. `close` deletes its folder. With `npm run
 * test:contracts -- --rpc-url URL`, uses that node instead, and `close` reverts the changes.
 */
export async function startTestChain(
  options: { chainId?: number; bundler?: boolean; hardfork?: string | undefined } = {},
) {
  buildContracts()
  const { bundler = false } = options
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-chain-'))
  const foreign = process.env.LATCHKEY_CONTRACTS_RPC_URL
  const chainId = foreign ? await readChainId(foreign) : (options.chainId ?? 31337)
  const started = foreign
    ? await borrowNode({ url: foreign, chainId, bundler })
    : await startOnFreePorts({ folder, chainId, bundler, hardfork: options.hardfork })
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
    /** Kills the bundler, which loses its pending operations. */
    async killBundler() {
      if (bundling) process.kill(bundling.pid, 'SIGKILL')
      await bundling?.close()
    },
    async startBundlerAgain() {
      const entryPoints = Object.values(devAddresses.entryPoints)
      if (bundling)
        bundling = await startBundler({ port: readPort(bundling.url), nodeUrl: node.url, entryPoints, cacheDir })
    },
    request,
    connect,
    client: (index: 0 | 1 | 2 | 3 | 4) => connect(devAccounts[index].privateKey),
    /** Returns an unused account with 100 ether. */
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

type Start = { folder: string; chainId: number; bundler: boolean; hardfork: string | undefined }

/** Makes up to three attempts, because another process may take a free port first. */
async function startOnFreePorts({ folder, chainId, bundler, hardfork }: Start) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePorts(2)
    let node: startChain.ReturnType | undefined
    try {
      node = await startChain({ port, chainId, statePath: join(folder, `state-${attempt}.json`), cacheDir, hardfork })
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

/** Uses a running node. Places missing contracts; accepts any code at the contracts' addresses. */
async function borrowNode({ url, chainId, bundler }: { url: string; chainId: number; bundler: boolean }) {
  const request = <result = unknown>(method: string, params: readonly unknown[] = []) =>
    rpc<result>({ url, method, params })
  const snapshot = await request<Hex>('evm_snapshot')
  await prepareChain({ rpcUrl: url, cacheDir })
  const { lightAccount, multiOwnerLightAccount, modularAccount, modularAccountV2 } = devAddresses
  for (const { factory } of [
    lightAccount['v2.0.0'],
    multiOwnerLightAccount['v2.0.0'],
    modularAccount,
    modularAccountV2,
  ])
    await takeOver(url, chainId, factory)
  await takeOver(url, chainId, modularAccountV2.webAuthnFactory)
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

/** Makes the devnet's owner the owner of an existing factory. */
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

/** Options of the builds that already ran in this process. Sources do not change during a run. */
const built = new Set<string>()
function build(...options: string[]): void {
  if (built.has(options.join())) return
  execFileSync(process.execPath, [join(contracts, 'build.mjs'), ...options], { timeout: 170_000 })
  built.add(options.join())
}

/** Compiles the contracts whose sources differ from the committed artifacts. */
export const buildContracts = (): void => build('--dev')

/** Returns the artifact of a contract that only tests deploy. If it is not committed, compiles all test contracts. */
export function readArtifact(name: string): { abi: Abi; bytecode: Hex; deployedBytecode: Hex } {
  buildContracts()
  const kept = join(root, 'packages', 'testkit', 'artifacts', `${name}.json`)
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'))
  build()
  return JSON.parse(readFileSync(join(contracts, 'artifacts', `${name}.json`), 'utf8'))
}
