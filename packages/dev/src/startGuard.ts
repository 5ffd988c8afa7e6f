import { spawn } from 'node:child_process'

export declare namespace startGuard {
  type ReturnType = {
    /** Has the process ended with `signal`, should we die first. */
    watch(pid: number, signal: NodeJS.Signals): void
    forget(pid: number): void
    close(): void
  }
}

/**
 * Source of the guard. It reads our wishes from its standard input; the input closes when we die, however we die
 * (also by SIGKILL), and then it ends what it was told to watch.
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

/** Starts the small process that ends the world's children when this one is killed without a chance to do so. */
export function startGuard(): startGuard.ReturnType {
  const child = spawn(process.execPath, ['-e', program], {
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    // Out of reach of Ctrl-C and of a signal to our whole group.
    detached: true,
    windowsHide: true,
  })
  child.on('error', () => undefined)
  child.stdin.on('error', () => undefined)
  child.unref()
  const write = (line: string): void => {
    if (child.stdin.writable) child.stdin.write(`${line}\n`)
  }
  return {
    watch: (pid, signal) => write(`watch ${pid} ${signal}`),
    forget: (pid) => write(`forget ${pid}`),
    close: () => child.stdin.end(),
  }
}
