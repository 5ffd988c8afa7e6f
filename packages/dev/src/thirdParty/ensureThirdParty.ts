import { createHash, randomUUID } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DevError } from '../errors.ts'
import { downloadThirdParty } from './downloadThirdParty.ts'
import { packBundler } from './packBundler.ts'

export declare namespace ensureThirdParty {
  type Parameters = {
    /** Cache folder, which several devnets may share. */
    cacheDir: string
    log?: ((line: string) => void) | undefined
  }
  type ReturnType = {
    /** Path of the bundler's script, to run with Node. */
    bundler: string
    /** Folder of the contracts' artifacts; see `readPackageArtifact`. */
    contracts: string
    /** Hash that changes with the versions of bundler and contracts. */
    fingerprint: string
  }
  type ErrorType = DevError
}

/** Revision of the packing. Increase it when the packing of unchanged packages changes. */
const revision = 2

/** Folder with package.json and lockfile. In a clone, the packages may be installed there. */
const source = fileURLToPath(new URL('../../third-party/', import.meta.url))

/** Contracts of `@account-abstraction/contracts` that the dev chain needs, by EntryPoint version. */
export const packageContracts = {
  '06': ['EntryPoint', 'SimpleAccountFactory', 'VerifyingPaymaster'],
  '07': ['EntryPoint', 'SimpleAccountFactory', 'VerifyingPaymaster'],
  '08': ['EntryPoint', 'Simple7702Account'],
} as const
export type PackageVersion = keyof typeof packageContracts
/**
 * Contracts of `hardhat-predeploy`, which contains runtime code by address: EntryPoint 0.9, which
 * `@account-abstraction/contracts` lacks, and its SenderCreator.
 */
export const predeployedContracts = [
  '0x433709009B8330FDa32311DF1C2AFA402eD8D009',
  '0x0A630a99Df908A81115A3022927Be82f9299987e',
] as const

const pending = new Map<string, Promise<void>>()

/**
 * Returns the bundler and the contracts, which are under the GPL. `latchkey-dev` neither contains nor depends on them:
 * the first start downloads them from npm, with the versions and checksums of the lockfile, into the cache folder.
 * Packs the bundler into one file, which loads four times as fast as its thousands of files.
 *
 * @throws `CHILD_MISSING` if they are not cached and npm cannot download them.
 */
export async function ensureThirdParty(parameters: ensureThirdParty.Parameters): Promise<ensureThirdParty.ReturnType> {
  const { cacheDir } = parameters
  const fingerprint = readFingerprint()
  const folder = join(cacheDir, `third-party-${fingerprint}`)
  if (!existsSync(folder)) {
    const running = pending.get(folder) ?? create(folder, parameters).finally(() => pending.delete(folder))
    pending.set(folder, running)
    await running
  }
  return { bundler: join(folder, 'bundler.mjs'), contracts: folder, fingerprint }
}

function readFingerprint(): string {
  const lockfile = readFileSync(join(source, 'package-lock.json'))
  return createHash('sha256').update(`${revision} `).update(lockfile).digest('hex').slice(0, 16)
}

/** Fills a temporary folder and renames it, so that other devnets never find a partial one. */
async function create(folder: string, { log }: ensureThirdParty.Parameters): Promise<void> {
  const fresh = `${folder}.${randomUUID()}`
  const download = join(fresh, 'download')
  try {
    mkdirSync(download, { recursive: true, mode: 0o700 })
    const isInstalled = existsSync(join(source, 'node_modules/.package-lock.json'))
    if (!isInstalled) await downloadThirdParty({ source, folder: download, log })
    const modules = join(isInstalled ? source : download, 'node_modules')
    for (const [version, names] of Object.entries(packageContracts))
      for (const name of names)
        copyFileSync(
          join(modules, `@account-abstraction/contracts-v${version}/artifacts/${name}.json`),
          join(fresh, `${name}-v${version}.json`),
        )
    for (const address of predeployedContracts)
      copyFileSync(join(modules, `hardhat-predeploy/bin/${address}.bytecode`), join(fresh, `${address}.bytecode`))
    await packBundler({ modules, path: join(fresh, 'bundler.mjs') })
    rmSync(download, { recursive: true, force: true })
    rename(fresh, folder)
  } catch (cause) {
    if (cause instanceof DevError) throw cause
    throw new DevError('The bundler and the EntryPoint contracts could not be unpacked.', {
      code: 'CHILD_MISSING',
      cause,
      hint: `Start again. Is there space for 100 MB in ${folder}?`,
    })
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Renames the folder. If another process has finished first, uses that process's folder. */
function rename(fresh: string, folder: string): void {
  try {
    renameSync(fresh, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  }
}
