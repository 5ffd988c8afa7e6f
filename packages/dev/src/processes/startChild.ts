import type { ChildProcess } from 'node:child_process'
import { tmpdir } from 'node:os'
import { isPortFree } from '../devnet/freePorts.ts'
import { DevError } from '../errors.ts'
import { acquireGuard } from './orphanGuard.ts'
import { stopProcess } from './processes.ts'

export declare namespace startChild {
  type Parameters = {
    /** Name in messages: "the chain", "the bundler". */
    name: string
    program: string
    args: readonly string[]
    /** Port on which the program will listen. The start fails if the port is taken. */
    port: number
    /** Polled until it returns true. A thrown error counts as false; a returned error ends the start. */
    isReady: () => Promise<boolean | DevError>
    /** User to run the program as, if not the current user. */
    user?: { uid: number; gid: number } | undefined
    /** Environment variables in addition to PATH and HOME. */
    env?: Readonly<Record<string, string>> | undefined
    /** Signals that end the program, one after another. @default SIGTERM, then SIGKILL after 3 s */
    signals?: stopProcess.Parameters['signals'] | undefined
    /** Start timeout in milliseconds. */
    timeoutMs: number
    /** Called with each line that the child prints. */
    log?: ((line: string) => void) | undefined
    /** Called once if the child exits without `close()` after it was ready. */
    onExit?: ((error: DevError) => void) | undefined
  }
  type ReturnType = { pid: number; close(): Promise<void> }
}

/**
 * Starts a program and waits until it is ready. The program has its own process group, so Ctrl-C reaches only this
 * process, which then ends the program in order. If this process exits without `close()`, the program is killed.
 *
 * @throws `PORT_TAKEN`, `CHILD_MISSING`, `CHILD_EXITED` (with its last lines), `TIMEOUT`.
 */
export async function startChild(parameters: startChild.Parameters): Promise<startChild.ReturnType> {
  const { name, port, signals = defaultSignals, onExit } = parameters
  if (!(await isPortFree(port))) {
    throw new DevError(`Port ${port}, which ${name} needs, is taken.`, {
      code: 'PORT_TAKEN',
      hint: 'Stop what uses it, or choose other ports with --port-base N.',
    })
  }
  const guard = acquireGuard()
  const child = guard.spawn({ ...toSpawn(parameters), signal: signals[0]?.signal ?? 'SIGTERM' })
  const tail = collect(child, parameters.log)
  const ended = new Promise<DevError>((resolve) => {
    child.once('error', (cause) => resolve(cannotRun(name, cause)))
    // 126 and 127 are the exit codes of a shell that cannot run a program.
    child.once('exit', (code, signal) =>
      resolve(
        code === 126 || code === 127
          ? cannotRun(name, new Error(tail.at(-1) ?? `exit code ${code}`))
          : exited(name, { code, signal, tail }),
      ),
    )
  })
  const killOnExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killOnExit)
  void ended.then(() => {
    guard.release()
    process.removeListener('exit', killOnExit)
  })
  const end = async (): Promise<void> => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    await stopProcess({ pid: child.pid, signals })
    await ended
  }
  try {
    await untilReady(parameters, { ended, tail })
  } catch (error) {
    await end()
    throw error
  }

  let closing = false
  void ended.then((error) => {
    if (!closing) onExit?.(error)
  })
  return {
    pid: child.pid as number,
    close() {
      closing = true
      return end()
    },
  }
}

const defaultSignals = [
  { signal: 'SIGTERM', waitMs: 3_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
] as const

function toSpawn({ program, args, user, env }: startChild.Parameters) {
  return {
    program,
    args,
    detached: true,
    // Runs in another folder, because the bundler would read the project's .env. Uses a clean environment, because
    // children read settings from it.
    cwd: '/',
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? tmpdir(), ...env },
    ...user,
  }
}

/** Forwards lines, and stores the last lines for the message of an unexpected exit. */
function collect(child: ChildProcess, log: ((line: string) => void) | undefined): string[] {
  const tail: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      // Truncates a line that does not end. Only its end may be useful.
      rest = (lines.pop() ?? '').slice(-10_000)
      for (const line of lines) {
        if (line.trim() === '') continue
        tail.push(line.slice(0, 500))
        if (tail.length > 12) tail.shift()
        log?.(line)
      }
    })
  }
  return tail
}

type Child = { ended: Promise<DevError>; tail: readonly string[] }

async function untilReady(parameters: startChild.Parameters, { ended, tail }: Child): Promise<void> {
  const { name, isReady, timeoutMs } = parameters
  let failure: DevError | undefined
  void ended.then((error) => {
    failure = error
  })
  const deadline = Date.now() + timeoutMs
  while (Date.now() < deadline) {
    const ready = await Promise.race([isReady().catch(() => false), ended])
    if (failure ?? ready instanceof DevError) throw failure ?? ready
    if (ready === true) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new DevError(`${sentence(name)} did not get ready within ${timeoutMs / 1000} s.${lastLines(tail)}`, {
    code: 'TIMEOUT',
    hint: 'The machine may be busy: try again.',
  })
}

function cannotRun(name: string, cause: Error): DevError {
  return new DevError(`${sentence(name)} cannot be run: ${cause.message}`, {
    code: 'CHILD_MISSING',
    cause,
    hint: 'Run `npm install` again.',
  })
}

type Exit = { code: number | null; signal: NodeJS.Signals | null; tail: readonly string[] }

function exited(name: string, { code, signal, tail }: Exit): DevError {
  const how = signal ? `by ${signal}` : `with code ${code}`
  return new DevError(`${sentence(name)} ended ${how}.${lastLines(tail)}`, { code: 'CHILD_EXITED' })
}

function lastLines(tail: readonly string[]): string {
  return tail.length > 0 ? ` Its last lines:\n${tail.join('\n')}` : ''
}

function sentence(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1)
}
