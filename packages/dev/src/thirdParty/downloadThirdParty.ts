import { spawn } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DevError } from '../errors.ts'

export declare namespace downloadThirdParty {
  type Parameters = {
    /** Folder with package.json and package-lock.json. */
    source: string
    /** Empty folder in which node_modules is created. */
    folder: string
    log?: ((line: string) => void) | undefined
  }
  type ErrorType = DevError
}

const timeoutMs = 300_000

/**
 * Installs the packages of a lockfile with npm, without install scripts. Uses the registry that the project in the
 * current folder uses.
 *
 * @throws `CHILD_MISSING` with npm's last lines.
 */
export async function downloadThirdParty({ source, folder, log }: downloadThirdParty.Parameters): Promise<void> {
  log?.('Downloading the bundler and the EntryPoint contracts (GPL-3.0) from npm, once …')
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(source, file), join(folder, file))
  const settings = findNpmrc(process.cwd())
  if (settings !== undefined) copyFileSync(settings, join(folder, '.npmrc'))
  const { code, output } = await runNpm(folder)
  if (code === 0) return
  throw new DevError(`npm could not download the bundler and the EntryPoint contracts:\n${output.trim()}`, {
    code: 'CHILD_MISSING',
    hint: 'Connect this machine to an npm registry once and run `latchkey-dev install`. Later starts need no network.',
  })
}

/** Finds the .npmrc of the nearest project, which may set a company's registry. */
function findNpmrc(folder: string): string | undefined {
  const path = join(folder, '.npmrc')
  if (existsSync(path)) return path
  return dirname(folder) === folder ? undefined : findNpmrc(dirname(folder))
}

function runNpm(cwd: string): Promise<{ code: number; output: string }> {
  const isWindows = process.platform === 'win32'
  // npm and npx pass their options to child processes in the environment. Workspace options would fail here.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_config_.*workspace/i.test(name)))
  return new Promise((done) => {
    const child = spawn(
      isWindows ? 'npm.cmd' : 'npm',
      ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
      { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], timeout: timeoutMs, shell: isWindows },
    )
    const end = (): void => void child.kill()
    process.once('exit', end)
    let output = ''
    child.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-1_000)
    })
    child.once('error', (error) => done({ code: 127, output: error.message }))
    child.once('close', (code) => {
      process.off('exit', end)
      done({ code: code ?? 1, output: output || `It did not end within ${timeoutMs / 60_000} minutes.` })
    })
  })
}
