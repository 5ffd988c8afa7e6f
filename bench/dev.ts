import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { freePorts } from 'latchkey-dev/testing'
import type { Measure } from './types.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const startScript = join(root, 'scripts/start.mjs')
const warmRuns = 3

class StartFailed extends Error {}

/**
 * Measures the milliseconds from the start of `npm start`'s script to its ready line. Clone: a clone of the committed
 * files with nothing installed or built, but with the machine's npm cache. Cold: everything is built, but no data or
 * initial chain state exists. Warm: the median of three later starts of the same devnet.
 */
export const measure: Measure = async ({ log }) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  // When run as root, the database runs as another user, which needs access to the folder.
  chmodSync(folder, 0o711)
  try {
    log(`a fresh clone; load ${loadavg()[0]?.toFixed(1)} …`)
    const clone = join(folder, 'clone')
    execFileSync('git', ['clone', '-q', '--depth', '1', pathToFileURL(root).href, clone], { timeout: 120_000 })
    const cloned = await timeToReady(join(folder, 'cloned'), join(clone, 'scripts/start.mjs'))
    log('cold start …')
    const cold = await timeToReady(folder)
    const warm: number[] = []
    for (let run = 1; run <= warmRuns; run++) {
      log(`warm start ${run} of ${warmRuns} …`)
      warm.push(await timeToReady(folder))
    }
    warm.sort((a, b) => a - b)
    return [
      { name: 'ready/clone-ms', value: cloned, unit: 'ms' },
      { name: 'ready/cold-ms', value: cold, unit: 'ms' },
      { name: 'ready/warm-ms', value: warm[Math.floor(warmRuns / 2)] ?? 0, unit: 'ms' },
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function timeToReady(folder: string, script = startScript): Promise<number> {
  const portBase = String(await freePorts(14))
  const args = [script, '--json', '--data-dir', join(folder, 'devnet'), '--port-base', portBase]
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...process.env, XDG_CACHE_HOME: join(folder, 'cache') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let words = ''
  child.stderr.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString()).slice(-2_000)
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const ready = new Promise<number>((resolve) => {
    let line = ''
    child.stdout.on('data', (chunk: Buffer) => {
      line += chunk.toString()
      if (line.includes('\n')) resolve(Math.round(performance.now() - began))
    })
  })
  const time = await Promise.race([ready, ended])
  child.kill('SIGTERM')
  await ended
  if (time === undefined) throw new StartFailed(`The devnet did not start:\n${words}`)
  return time
}
