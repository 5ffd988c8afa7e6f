import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { setPriority } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Root of the repository. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** Returns the path of an installed package's program `name`, to be run with `process.execPath`. */
export function programPath(packageName, name = packageName) {
  const manifestPath = join(root, 'node_modules', packageName, 'package.json')
  const { bin } = createRequire(import.meta.url)(manifestPath)
  return join(dirname(manifestPath), typeof bin === 'string' ? bin : bin[name])
}

/**
 * Runs a program in the repository's root. The program ends with this process. Resolves to the program's exit code.
 * `quiet` prints its output only on failure; `capture` returns the last `limit` characters of the output instead. A
 * `niceness` above 0 gives the program a lower priority.
 */
export function run(
  program,
  args,
  { quiet = false, capture = false, env = {}, limit = 200_000, timeoutMs = 1_800_000, niceness = 0 } = {},
) {
  return new Promise((done) => {
    const piped = quiet || capture
    const child = spawn(program, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ['ignore', piped ? 'pipe' : 'inherit', piped ? 'pipe' : 'inherit'],
      timeout: timeoutMs,
      // Only npm.cmd needs a shell, which is safe because none of its arguments are user input.
      shell: process.platform === 'win32' && program.endsWith('.cmd'),
    })
    if (child.pid && niceness > 0) setPriority(child.pid, niceness)
    const end = () => child.kill()
    process.once('exit', end)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk) => {
        output = (output + chunk).slice(-limit)
      })
    }
    child.once('error', (error) => done({ code: 127, output: String(error) }))
    child.once('close', (code) => {
      process.off('exit', end)
      if (quiet && code !== 0) process.stderr.write(output)
      done({ code: code ?? 1, output })
    })
  })
}

export const runNode = (args, options) => run(process.execPath, args, options)

/** Runs the npm that started this process, or else the npm in PATH. */
export function runNpm(args, options) {
  const script = process.env.npm_execpath
  if (script && /\.[cm]?js$/.test(script)) return runNode([script, ...args], options)
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, options)
}
