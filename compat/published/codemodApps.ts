import { execFile } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Devnet } from 'latchkey-dev'
import type { Page } from 'playwright-core'
import { forwardTo } from './forwardTo.ts'
import { openProfile } from './openProfile.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'packages/dev/dist/cli/main.js')
/** Account Kit apps before the migration. */
export const samples = join(root, 'compat/published/codemod')
/** Working folder. It is inside the repository, because `latchkey` can be resolved only there. */
export const folder = join(root, '.cache/codemod', String(process.pid))

type Finding = { path: string; line: number; text: string }
type Moved = { files: string[]; stops: Finding[]; left: Finding[]; written: boolean }

/** Copies samples to the working folder. */
export async function copySamples(names: readonly string[]): Promise<void> {
  for (const name of names) await cp(join(samples, name), join(folder, name), { recursive: true })
}

/** Runs the codemod like a user. */
export async function move(name: string, ...options: string[]): Promise<Moved> {
  const words = [program, 'codemod', 'account-kit', join(folder, name), '--force', '--json', ...options]
  const { stdout } = await run(process.execPath, words).catch((error: { stdout: string }) => error)
  return JSON.parse(stdout) as Moved
}

let packed: Promise<string> | undefined

/** Installs an app's packages, with the packed `latchkey`, which the registry does not have yet. */
export async function install(name: string): Promise<void> {
  packed ??= run(process.execPath, [join(root, 'scripts/lib/pack.mjs'), 'latchkey']).then(({ stdout }) => stdout.trim())
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--install-links', '--prefer-offline']
  await run('npm', ['install', ...options, await packed], { cwd: join(folder, name), timeout: 300_000 })
}

/** Compiles an installed app with its own TypeScript. Resolves to the errors, with paths relative to the app. */
export async function compile(name: string, options: object = {}): Promise<string> {
  const home = join(folder, name)
  const { compilerOptions } = JSON.parse(await readFile(join(samples, 'tsconfig.json'), 'utf8'))
  const config = { compilerOptions: { ...compilerOptions, ...options }, include: ['src', '*.ts'] }
  await writeFile(join(home, 'tsconfig.codemod.json'), JSON.stringify(config))
  const words = [join(home, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.codemod.json', '--pretty', 'false']
  return run(process.execPath, words, { cwd: home }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

/** Opens a page in a browser that resolves the published clients' hosts to Latchkey's servers. */
export async function inBrowser({ urls }: Devnet, use: (page: Page) => Promise<void>): Promise<void> {
  const { profile, context } = await openProfile()
  try {
    context.setDefaultTimeout(0)
    const hosts = {
      'api.turnkey.com': urls.custody,
      'api.g.alchemy.com': urls.signerApi,
      'auth.turnkey.com': urls.authFrame,
      'eth-sepolia.g.alchemy.com': new URL(urls.gateway).origin,
    }
    for (const [host, base] of Object.entries(hosts))
      await context.route(
        `https://${host}/**`,
        forwardTo(fetch, () => base),
      )
    await use(await context.newPage())
  } finally {
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 10 })
  }
}
