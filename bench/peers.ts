import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import react from '@vitejs/plugin-react'
import { build, type InlineConfig } from 'vite'
import type { Built } from './serveBuilt.ts'
import type { Result } from './types.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Folders of published wallets' pages, outside this repository. */
const places = ['../shared/bench/peers', '../../shared/bench/peers'].map((path) => resolve(root, path))
/** Installed packages, with one lockfile per wallet. They are cached between runs. */
const kept = join(root, '.cache/peers')
const installMs = 600_000

/**
 * Peer dependencies that the pages' builds require and that `--legacy-peer-deps` does not install. The table lists them
 * in the wallet's rows.
 */
const additions: Readonly<Record<string, readonly string[]>> = {
  'account-kit': ['wagmi@2'],
  privy: ['@stripe/stripe-js'],
}

export type BuiltPeer = {
  name: string
  /** Additional packages of the wallet's page, listed in the table. */
  added: string
  built: Built
}

/** Builds the smallest page of each published wallet like ours, in sequence. Skips those that do not install. */
export async function* buildPeers(log: (line: string) => void): AsyncGenerator<BuiltPeer> {
  const place = places.find((path) => existsSync(path))
  if (!place) return log('The pages of other wallets are not at hand.')
  for (const name of readdirSync(place)) {
    if (!existsSync(join(place, name, 'index.html'))) continue
    log(`${name} …`)
    try {
      const added = additions[name] ? ` (with ${additions[name].join(', ')})` : ''
      yield { name, added, built: await buildPeer(join(place, name), name) }
    } catch (error) {
      log(`${name} was left out: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`)
    }
  }
}

/** Returns the kB of each wallet's first load. */
export async function measurePeers(log: (line: string) => void): Promise<Result[]> {
  const module: typeof import('../e2e/firstLoad.ts') = await import(join(root, 'e2e/dist/firstLoad.js'))
  const results: Result[] = []
  for await (const { name, added, built } of buildPeers(log)) {
    const value = module.kiloBytes(module.firstFiles(built))
    results.push({ name: `peer/${name}/initial${added}`, value, unit: 'kB' })
  }
  return results
}

async function buildPeer(source: string, name: string): Promise<Built> {
  const home = join(kept, name)
  mkdirSync(home, { recursive: true })
  cpSync(source, home, { recursive: true })
  if (existsSync(join(home, 'package.json')) && !existsSync(join(home, 'node_modules/.package-lock.json'))) {
    const options = [
      '--ignore-scripts',
      '--legacy-peer-deps',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '--loglevel=error',
    ]
    const packages = additions[name] ?? []
    execFileSync('npm', ['install', ...options, ...packages], { cwd: home, stdio: 'ignore', timeout: installMs })
  }
  const config = await readConfig(join(home, 'peer.config.mjs'))
  const before = process.cwd()
  // The CSS tools of a page look for their config files in the working directory.
  process.chdir(home)
  const output = await build({
    ...config,
    root: home,
    configFile: false,
    logLevel: 'silent',
    plugins: [react(), ...(config.plugins ?? [])],
    build: { ...config.build, write: false },
  }).finally(() => process.chdir(before))
  return (Array.isArray(output) ? output : [output]).flatMap((part) => ('output' in part ? part.output : []))
}

async function readConfig(path: string): Promise<InlineConfig> {
  if (!existsSync(path)) return {}
  const module: { default?: InlineConfig } = await import(pathToFileURL(path).href)
  return module.default ?? {}
}
