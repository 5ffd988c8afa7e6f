import { preload } from '../../../dev/src/bundler/startBundler.ts'
import { devAccountOf } from '../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { rpc } from '../../../dev/src/chain/rpc.ts'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { startChild } from '../../../dev/src/processes/startChild.ts'
import { ensureThirdParty } from '../../../dev/src/thirdParty/ensureThirdParty.ts'
import { cacheDir } from '../chain.ts'

/** Starts a bundler, by default on a free port, that bundles its operations only when `bundle` is called. */
export async function startPatientBundler(nodeUrl: string, wantedPort?: number) {
  const port = wantedPort ?? (await freePorts(1))
  const url = `http://127.0.0.1:${port}`
  const options = {
    entrypoints: Object.values(devAddresses.entryPoints).join(','),
    'rpc-url': nodeUrl,
    port,
    'utility-private-key': devAccountOf.bundlerUtility.privateKey,
    'executor-private-keys': devAccountOf.bundlerExecutor.privateKey,
    'safe-mode': false,
    'block-time': 100,
    'log-level': 'error',
    json: true,
    'bundle-mode': 'manual',
    'enable-debug-endpoints': true,
  }
  const { bundler } = await ensureThirdParty({ cacheDir })
  const child = await startChild({
    name: 'the patient bundler',
    program: process.execPath,
    args: [
      '--import',
      preload,
      bundler,
      ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]),
    ],
    port,
    timeoutMs: 60_000,
    isReady: async () => (await rpc<string>({ url, method: 'eth_chainId', timeoutMs: 2000 })).startsWith('0x'),
  })
  return {
    url,
    /** Bundles the pending operations. */
    bundle: () => rpc<unknown>({ url, method: 'debug_bundler_sendBundleNow', timeoutMs: 60_000 }),
    close: () => child.close(),
  }
}
