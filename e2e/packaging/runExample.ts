import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { demand } from '../demand.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

export type Example = {
  name: string
  /** Commands that build the example. */
  build: readonly (readonly string[])[]
  /** Returns the command that serves the example. Its environment contains `PORT`. */
  serve: (port: number) => readonly string[]
}

/** Replaces `latchkey` with the packed version in the installed examples. */
export function installPacked(folders: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-packed-'))
  try {
    const options = { encoding: 'utf8', timeout: 300_000 } as const
    const published = execFileSync(process.execPath, [join(root, 'scripts/lib/pack.mjs')], {
      ...options,
      cwd: root,
    }).trim()
    const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder]
    const script = process.env.npm_execpath
    const [program, first] = script ? [process.execPath, [script]] : ['npm', []]
    const packed = execFileSync(program, [...first, ...args], { ...options, cwd: published })
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }]
    for (const name of folders) {
      const target = join(root, 'examples', name, 'node_modules/latchkey')
      rmSync(target, { recursive: true, force: true })
      mkdirSync(target)
      execFileSync('tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components=1'])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Builds an example and serves it until `close`. Calls `release` just before serving, to free the port. */
export async function runExample(
  example: Example,
  { port, env, release }: { port: number; env: Record<string, string>; release?: () => Promise<void> },
) {
  const cwd = join(root, 'examples', example.name)
  // The test run's own variables would change the build.
  const { NODE_ENV: _, VITEST: __, NODE_OPTIONS: ___, ...inherited } = process.env
  const options = { cwd, env: { ...inherited, ...env, NEXT_TELEMETRY_DISABLED: '1', PORT: String(port) } }
  for (const args of example.build) await run(process.execPath, [...args], { ...options, timeout: 600_000 })
  await release?.()
  const child = spawn(process.execPath, [...example.serve(port)], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log += chunk.toString()
    })
  }
  const ended = new Promise((resolve) => child.once('close', resolve))
  const close = async () => {
    child.kill()
    await ended
  }
  const url = `http://localhost:${port}`
  for (let attempt = 0; !(await isServed(url)); attempt++) {
    if (attempt === 120 || child.exitCode !== null) await close()
    demand(attempt < 120 && child.exitCode === null, `${example.name} serves its page: ${log}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  return { url, close, log: () => log }
}

async function isServed(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(20_000) })).ok
  } catch {
    return false
  }
}
