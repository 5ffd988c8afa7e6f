import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

export declare namespace acquireGuard {
  type SpawnParameters = Omit<SpawnOptions, 'stdio' | 'signal'> & {
    program: string
    args: readonly string[]
    /** Signal for the process, followed by SIGKILL after three seconds, if this process dies first. */
    signal: NodeJS.Signals
  }
  type ReturnType = {
    /**
     * Starts a program whose output can be read. It is watched before it runs: a shell reports its process id to the
     * guard and becomes the program, so this process cannot die and leave it behind. A program that cannot run ends
     * with 126 or 127, as in a shell.
     */
    spawn(parameters: SpawnParameters): ChildProcess
    /** Stops watching. Call it once the process has ended, before its process id is reused. */
    release(): void
  }
}

let guard: ChildProcess | undefined
let holders = 0

/**
 * Starts a guard that ends child processes if this process is killed, such as by SIGKILL. One guard process serves all
 * children, from the first to the last.
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
 * Program of the guard. Its standard input closes when this process ends in any case; then each watched process gets
 * its signal, and after three seconds SIGKILL.
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
    // Protects it from Ctrl-C and signals to our whole group.
    detached: true,
    windowsHide: true,
  })
  // The guard is optional: the next start also ends leftover processes.
  child.on('error', () => undefined)
  const pipe = child.stdin as Socket
  pipe.on('error', () => undefined)
  pipe.unref()
  child.unref()
  return child
}
