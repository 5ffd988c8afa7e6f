import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export declare namespace stopProcess {
  type Parameters = {
    pid: number
    /** Signals to send one after another until the process has ended. */
    signals: readonly { signal: NodeJS.Signals; waitMs: number }[]
  }
}

/** Sends signals to a process that this program started. Resolves to whether the process has ended. */
export async function stopProcess({ pid, signals }: stopProcess.Parameters): Promise<boolean> {
  for (const { signal, waitMs } of signals) {
    if (!sendSignal(pid, signal)) return true
    const deadline = Date.now() + waitMs
    while (Date.now() < deadline) {
      if (!isAlive(pid)) return true
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return !isAlive(pid)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the command line of a running process, which identifies the process before it is ended. Empty if there is
 * none.
 */
export function readCommand(pid: number): string {
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
