import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * Ends this process (SIGTERM) once its npm has ended. npm forwards signals, but a killed npm cannot, so its children
 * would continue to run and block their ports. Does nothing outside npm.
 */
export function endWithNpm({ env = process.env, everyMs = 1_000 } = {}) {
  if (env.npm_lifecycle_event === undefined || process.platform === 'win32') return
  const npm = npmAbove(process.ppid)
  if (npm === undefined) return
  const timer = setInterval(() => {
    if (isAlive(npm)) return
    clearInterval(timer)
    console.error('\nnpm, which started this, is gone.')
    process.kill(process.pid, 'SIGTERM')
  }, everyMs)
  timer.unref()
}

/**
 * Returns the id of the npm process above this one. A shell may be in between, unless it replaced itself by the script
 * (exec).
 */
function npmAbove(pid) {
  for (let above = 0, id = pid; above < 3 && id > 1; above++) {
    const [parent, command] = describe(id)
    if (/^npm\b|\bnpm(-cli\.js)?\s/.test(command)) return id
    id = Number(parent)
  }
}

/** Returns a process's parent and command line, from /proc or else ps. */
function describe(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may contain spaces and parentheses.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [parent, readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')]
  } catch {
    return describeByPs(pid)
  }
}

function describeByPs(pid) {
  try {
    const options = { encoding: 'utf8', timeout: 5_000, stdio: ['ignore', 'pipe', 'ignore'] }
    const line = execFileSync('ps', ['-ww', '-o', 'ppid=,args=', '-p', String(pid)], options).trim()
    return [line.split(/\s+/, 1)[0], line.replace(/^\d+\s+/, '')]
  } catch {
    return ['0', '']
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
