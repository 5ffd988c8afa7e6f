import { spawn } from 'node:child_process'
import { DevError } from '../errors.ts'

export declare namespace startCommand {
  type ReturnType = {
    /** Exit code, or the shell's code for the signal that ended the program. @throws `CHILD_MISSING` */
    ended: Promise<number>
    /** Terminates the program, and kills it after five seconds. */
    stop(): Promise<void>
  }
}

/** Exit codes for signals, as reported by shells: 128 + n. */
const signalCodes: Partial<Record<NodeJS.Signals, number>> = { SIGHUP: 129, SIGINT: 130, SIGKILL: 137, SIGTERM: 143 }
const patienceMs = 5_000

/** Environment variables that `latchkeyDevnet` reads, with the prefixes that bundlers expose to pages. */
const variables = ['LATCHKEY_URL', 'VITE_LATCHKEY_URL', 'NEXT_PUBLIC_LATCHKEY_URL']

/**
 * Starts a user's program in this terminal: the program reads the keyboard, and Ctrl-C reaches both processes. Sets the
 * devnet's URL in its environment, unless it is already set.
 */
export function startCommand([program = '', ...args]: readonly string[], devnetUrl: string): startCommand.ReturnType {
  const env = { ...Object.fromEntries(variables.map((name) => [name, devnetUrl])), ...process.env }
  // On Windows, programs of npm packages are scripts that need a shell.
  const child = spawn(program, args, { stdio: 'inherit', env, shell: process.platform === 'win32' })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => {
      reject(
        new DevError(`"${program}" cannot be run.`, {
          code: 'CHILD_MISSING',
          cause,
          hint: 'Pass a command after `--`, such as `latchkey-dev -- npx vite`.',
        }),
      )
    })
    child.once('exit', (code, signal) => resolve(code ?? signalCodes[signal ?? 'SIGTERM'] ?? 1))
  })
  const isOver = ended.then(
    () => undefined,
    () => undefined,
  )
  process.once('exit', () => child.kill('SIGKILL'))
  return {
    ended,
    async stop() {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs)
      await isOver
      clearTimeout(timer)
    },
  }
}
