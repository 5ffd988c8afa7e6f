import { spawn } from 'node:child_process'
import { DevError } from '../errors.ts'

export declare namespace startCommand {
  type ReturnType = {
    /** Its exit code, or what shells make of the signal that ended it. @throws `CHILD_MISSING` */
    ended: Promise<number>
    /** Asks it to end, and ends it after five seconds. */
    stop(): Promise<void>
  }
}

/** Signals that end what a terminal runs, as shells report them: 128 + n. */
const signalCodes: Partial<Record<NodeJS.Signals, number>> = { SIGHUP: 129, SIGINT: 130, SIGKILL: 137, SIGTERM: 143 }
const patienceMs = 5_000

/** What `latchkeyDevnet` takes, under the names that bundlers show to pages. */
const variables = ['LATCHKEY_URL', 'VITE_LATCHKEY_URL', 'NEXT_PUBLIC_LATCHKEY_URL']

/**
 * Starts a program of the user's in this terminal: it reads the keyboard, and Ctrl-C reaches it as it reaches us. Its
 * environment says where the devnet is, unless it says so already.
 */
export function startCommand([program = '', ...args]: readonly string[], devnetUrl: string): startCommand.ReturnType {
  const env = { ...Object.fromEntries(variables.map((name) => [name, devnetUrl])), ...process.env }
  // Programs of npm packages are scripts there, which only a shell runs.
  const child = spawn(program, args, { stdio: 'inherit', env, shell: process.platform === 'win32' })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => {
      reject(
        new DevError(`"${program}" cannot be run.`, {
          code: 'CHILD_MISSING',
          cause,
          hint: 'After `--` goes a command as a shell has it, such as `latchkey-dev -- npx vite`.',
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
