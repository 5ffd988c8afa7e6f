import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export type Cli = ReturnType<typeof startCli>

type CliDevnet = {
  urls: Record<string, string>
  smtpPort: number
  chainId: number
  apiKey: string
  readyMs: number
}

const main = fileURLToPath(new URL('../../packages/dev/dist/cli/main.js', import.meta.url))

class CliFailed extends Error {}

export function startCli(args: readonly string[], options: { cwd?: string; program?: string } = {}) {
  const child = spawn(process.execPath, [options.program ?? main, ...args], {
    cwd: options.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
  /** Resolves to the parsed JSON line. Rejects with the output if the process exits first. */
  const ready = new Promise<CliDevnet>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (stdout.startsWith('{') && stdout.endsWith('\n')) resolve(JSON.parse(stdout) as CliDevnet)
    })
    void ended.then(() => reject(new CliFailed(stdout + stderr)))
  })
  ready.catch(() => undefined)
  return { process: child, stdout: () => stdout, stderr: () => stderr, ready, ended }
}
