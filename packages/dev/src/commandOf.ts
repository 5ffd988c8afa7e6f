import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Command line of a running process, to be sure whose it is before ending it; empty when there is none. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return psCommand(pid)
  }
}

function psCommand(pid: number): string {
  try {
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8', timeout: 5_000 })
  } catch {
    return ''
  }
}
