import { createLogger } from '../app/createLogger.ts'
import { createServer } from '../app/createServer.ts'
import { listen } from '../http/listen.ts'
import { ServerError } from '../http/ServerError.ts'
import { migrate } from '../store/migrate.ts'
import { doctor, formatFindings } from './doctor.ts'
import { type Environment, readConfig, readDatabaseUrl } from './readConfig.ts'
import { settings } from './settings.ts'

const usage = `latchkey-server <command>

  start     run the roles of LATCHKEY_ROLES until SIGTERM
  migrate   bring the database schema up to date
  doctor    check database, SMTP, node and bundler

Settings, from the environment; NAME_FILE reads the value from a file:

${Object.entries(settings)
  .map(([name, meaning]) => `  ${name.padEnd(35)} ${meaning}`)
  .join('\n')}
`

/** The command line. Answers the exit code; `start` answers when it was told to stop. */
export async function run(parameters: run.Parameters): Promise<number> {
  const { environment, print, stop } = parameters
  const [command] = parameters.arguments
  try {
    if (command === 'start') return await start(environment, stop)
    if (command === 'migrate') {
      const { applied } = await migrate({ databaseUrl: readDatabaseUrl(environment) })
      print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is up to date.')
      return 0
    }
    if (command === 'doctor') {
      const findings = await doctor(readConfig(environment))
      print(formatFindings(findings))
      return findings.every((finding) => finding.ok) ? 0 : 1
    }
    print(usage)
    return command === undefined || command === 'help' || command === '--help' ? 0 : 2
  } catch (error) {
    print(error instanceof ServerError ? error.message : `Unexpected: ${(error as Error)?.stack ?? error}`)
    return 1
  }
}

export declare namespace run {
  type Parameters = {
    arguments: readonly string[]
    environment: Environment
    print: (text: string) => void
    /** Aborted to end `start`. */
    stop: AbortSignal
  }
}

async function start(environment: Environment, stop: AbortSignal): Promise<number> {
  const config = readConfig(environment)
  const logger = createLogger({ level: config.logLevel })
  const server = await createServer({ ...config.server, logger })
  try {
    const { port, host, allowedHosts } = config
    const listener = await listen(server.fetch, { port, host, allowedHosts })
    logger.info({ url: listener.url, roles: config.server.roles }, 'Ready')
    if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }))
    await listener.close()
  } finally {
    await server.close()
  }
  return 0
}
