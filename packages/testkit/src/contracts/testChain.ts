import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Abi, type Hex, parseEther, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startBundler } from '../../../dev/src/bundler/startBundler.ts'
import { devAccounts } from '../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { devClient } from '../../../dev/src/chain/devClient.ts'
import { rpc } from '../../../dev/src/chain/rpc.ts'
import { startChain } from '../../../dev/src/chain/startChain.ts'
import { freePorts } from '../../../dev/src/world/freePorts.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const contracts = join(root, 'packages', 'contracts')

/** The first states are shared by all tests and runs: they depend on nothing but contracts and versions. */
export const cacheDir = join(root, '.cache', 'chain')

let areBuilt = false

/** Once a process: sources do not change while tests run. */
export function buildContracts(): void {
  if (areBuilt) return
  execFileSync(process.execPath, [join(contracts, 'build.mjs')], { timeout: 170_000 })
  areBuilt = true
}

export function readArtifact(name: string): { abi: Abi; bytecode: Hex; deployedBytecode: Hex } {
  return JSON.parse(readFileSync(join(contracts, 'artifacts', `${name}.json`), 'utf8'))
}

export type TestChain = Awaited<ReturnType<typeof startTestChain>>

/** A dev chain of its own for one test file, with its bundler if asked for. */
export async function startTestChain({ chainId = 31337, bundler = false } = {}) {
  buildContracts()
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-chain-'))
  const port = await freePorts(2)
  const node = await startChain({ port, chainId, statePath: join(folder, 'chain.json'), cacheDir })
  const entryPoints = Object.values(devAddresses.entryPoints)
  const bundling = bundler ? await startBundler({ port: port + 1, nodeUrl: node.url, entryPoints }) : undefined
  const clientOf = (privateKey: Hex) => devClient({ rpcUrl: node.url, chainId, privateKey })
  const request = <result = unknown>(method: string, params: readonly unknown[] = []) =>
    rpc<result>({ url: node.url, method, params })
  return {
    chainId,
    url: node.url,
    bundlerUrl: bundling?.url ?? '',
    request,
    clientOf,
    /** One of the ready accounts. */
    client: (index: 0 | 1 | 2 | 3 | 4) => clientOf(devAccounts[index].privateKey),
    /** A new account with 100 ether, so that tests do not meet in one. */
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
