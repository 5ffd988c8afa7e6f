import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Ends a child by a signal (default SIGTERM) when we die in a way that leaves us no time to, such as SIGKILL: a shell
 * waits on a pipe that only our process holds open. Call the result once the child has ended, before its number can be
 * another's. Does nothing on Windows.
 */
export function endWithUs(pid: number, signal: 'SIGINT' | 'SIGTERM' = 'SIGTERM'): () => void {
  if (process.platform === 'win32') return () => {}
  const guard = spawn('/bin/sh', ['-c', 'read _; kill -s "$2" "$1"', 'sh', String(pid), signal.slice(3)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // Without a shell the child is found and ended at the next start instead.
  guard.once('error', () => {})
  guard.unref()
  const pipe = guard.stdin as Socket
  pipe.on('error', () => {})
  pipe.unref()
  return () => void guard.kill('SIGKILL')
}
