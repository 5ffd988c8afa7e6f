import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** Returns the CPU milliseconds of a process and its children, including ended ones; undefined without `/proc`. */
export function readCpuMs(pid: number): number | undefined {
  try {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    const stats = all.flatMap((name) => readStat(name) ?? [])
    const own = stats.find((stat) => stat.pid === pid)
    if (!own) return undefined
    const children = stats.filter((stat) => stat.parent === pid)
    const ticks = own.ticks + own.endedTicks + children.reduce((sum, { ticks }) => sum + ticks, 0)
    return (ticks * 1000) / ticksPerSecond()
  } catch {
    return undefined
  }
}

/**
 * Reads /proc/<pid>/stat (proc(5)). The third and later fields follow the name in parentheses, which may contain
 * spaces.
 */
function readStat(name: string) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0] = fields
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return { pid: Number(name), parent, ticks: user + system, endedTicks: endedUser + endedSystem }
  } catch {
    // The process has ended.
    return undefined
  }
}

function ticksPerSecond(): number {
  return Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8', timeout: 5_000 }))
}
