import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { startCuttingProxy } from '../cuttingProxy.ts'
import { FixtureError } from '../FixtureError.ts'
import { joinProgram } from '../run/joinProgram.ts'

/** Delay before a supervisor restarts a process. */
const pauseMs = 200

export type RoleProcess = Awaited<ReturnType<typeof startRole>>

/** Runs a role in its own process and restarts it whenever it exits, like systemd or Kubernetes. */
export async function startRole(parameters: {
  name: string
  databaseUrl: string
  port: number
  environment: Readonly<Record<string, string>>
  /** Modules to load before the program. */
  preload?: string | undefined
}) {
  const { name, port, environment, preload } = parameters
  const metricsPort = await freePorts(1)
  const program = await joinProgram('server')
  let child: ChildProcess | undefined
  let ready: Promise<void> = Promise.resolve()
  let printed = ''
  let kills = 0
  let starts = 0
  let isClosing = false

  function kill(): void {
    if (child?.kill('SIGKILL')) kills++
  }
  const counts = (statement: string) => !/rate_limits|custody_limits/.test(statement)
  const proxy = await startCuttingProxy(parameters.databaseUrl, kill, counts)

  function start(): void {
    starts++
    const started = spawn(process.execPath, [...(preload ? ['--import', preload] : []), program, 'start'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...environment,
        DATABASE_URL: proxy.url,
        LATCHKEY_ROLES: name,
        LATCHKEY_PORT: String(port),
        LATCHKEY_METRICS_PORT: String(metricsPort),
      },
    })
    child = started
    started.stderr.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
    })
    ready = new Promise((resolve) => {
      createInterface({ input: started.stdout }).on('line', (line) => {
        printed += `${line}\n`
        if (line.includes('"msg":"Ready"')) resolve()
      })
    })
    started.once('close', async () => {
      if (isClosing) return
      await setTimeout(pauseMs)
      if (!isClosing) start()
    })
  }
  start()

  return {
    name,
    url: `http://localhost:${port}`,
    /** Proxy that kills the process (SIGKILL) at a chosen write to the database. */
    proxy,
    kills: () => kills,
    starts: () => starts,
    kill,
    async ready() {
      for (let tries = 0; tries < 600; tries++) {
        const isReady = await Promise.race([ready.then(() => true), setTimeout(100, false)])
        // After a kill, the process may not have an exit code or a signal yet.
        if (isReady && child?.exitCode === null && child.signalCode === null && !child.killed) return
        await setTimeout(50)
      }
      throw new FixtureError(`The role ${name} does not start: ${printed.slice(-2_000)}`)
    },
    output: () => printed,
    /** Returns the sum of a metric in `GET /metrics` over all lines with the given `labels`. */
    async readMetric(metric: string, ...labels: string[]) {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
      const values = lines
        .filter((line) => labels.every((label) => line.includes(label)))
        .map((line) => Number(line.split(' ').at(-1)))
      return values.reduce((sum, value) => sum + value, 0)
    },
    async close() {
      isClosing = true
      const running = child?.exitCode === null && child.signalCode === null ? child : undefined
      const ended = running && once(running, 'exit')
      running?.kill('SIGKILL')
      await ended
      await proxy.close()
    },
  }
}
