import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

export declare namespace acquireGuard {
  type SpawnParameters = Omit<SpawnOptions, 'stdio' | 'signal'> & {
    program: string
    args: readonly string[]
    /** Signal to send if this process dies first. SIGKILL follows after three seconds. */
    signal: NodeJS.Signals
  }
  type ReturnType = {
    /**
     * Starts a program with readable output. The guard knows its process id before the program runs: a shell reports
     * its own id and then becomes the program (`exec`). Therefore this process cannot die in between and leave the
     * program running. A program that cannot run exits with 126 or 127, as in a shell.
     */
    spawn(parameters: SpawnParameters): ChildProcess
    /** Stops guarding a process. Call it once the process has exited, before its id is reused. */
    release(): void
  }
}

let guard: ChildProcess | undefined
let holders = 0

/**
 * Returns a guard that ends child processes if this process is killed, for example by SIGKILL. One guard process serves
 * all children and exits after the last.
 */
export function acquireGuard(): acquireGuard.ReturnType {
  guard ??= startGuard()
  holders += 1
  const { stdin } = guard
  const write = (line: string): void => {
    if (stdin?.writable) stdin.write(`${line}\n`)
  }
  let watched: number | undefined
  let isReleased = false
  return {
    spawn({ program, args, signal, ...options }) {
      const child = spawn('/bin/sh', ['-c', 'echo "watch $$ $0" >&3; exec "$@" 3>&-', signal, program, ...args], {
        ...options,
        stdio: ['ignore', 'pipe', 'pipe', stdin?.writable ? stdin : 'ignore'],
      })
      watched = child.pid
      return child
    },
    release() {
      if (isReleased) return
      isReleased = true
      if (watched !== undefined) write(`release ${watched}`)
      holders -= 1
      if (holders > 0) return
      stdin?.end()
      guard = undefined
    },
  }
}

/**
 * Program of the guard process. When this process ends for any reason, the guard's standard input closes. The guard
 * then sends each process its signal, and SIGKILL after three seconds.
 */
const program = `
const watched = new Map()
let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n')
  rest = lines.pop()
  for (const line of lines) {
    const [verb, pid, signal] = line.split(' ')
    if (verb === 'watch') watched.set(Number(pid), signal)
    else watched.delete(Number(pid))
  }
})
const send = (pid, signal) => { try { process.kill(pid, signal); return true } catch { return false } }
process.stdin.on('end', () => {
  for (const [pid, signal] of watched) send(pid, signal)
  let ticks = 0
  setInterval(() => {
    const left = [...watched.keys()].filter((pid) => send(pid, 0))
    if (left.length === 0 || ++ticks > 100) process.exit(0)
    if (ticks > 60) for (const pid of left) send(pid, 'SIGKILL')
  }, 50)
})
process.stdin.on('error', () => process.exit(0))
`

function startGuard(): ChildProcess {
  const child = spawn(process.execPath, ['-e', program], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    // Detached from Ctrl-C and signals to this process group.
    detached: true,
    windowsHide: true,
  })
  // A failed guard is ignored, because the next start also ends leftover processes.
  child.on('error', () => undefined)
  const pipe = child.stdin as Socket
  pipe.on('error', () => undefined)
  pipe.unref()
  child.unref()
  return child
}
