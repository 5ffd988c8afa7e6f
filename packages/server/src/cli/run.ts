import { createLogger } from '../app/createLogger.ts'
import { createServer } from '../app/createServer.ts'
import { auditLog, rewrapKeys } from '../app/custodyTasks.ts'
import { pageHashes } from '../frames/pageHashes.ts'
import { listen } from '../http/listen.ts'
import { ServerError } from '../http/ServerError.ts'
import { migrate } from '../store/migrate.ts'
import type { Environment } from './createReader.ts'
import { doctor, formatFindings } from './doctor.ts'
import { readConfig, readCustodyTask, readDatabaseUrl } from './readConfig.ts'
import { settings } from './settings.ts'

const usage = `latchkey-server <command>

  start     run the roles of LATCHKEY_ROLES until SIGTERM
  migrate   bring the database schema up to date
  doctor    check database, stored keys, SMTP, node and bundler
  rotate-keys
            wrap all stored keys under the current key-encryption key, while the server runs; can be stopped and resumed
  audit verify
            prove the log of activities, and name the first row that is wrong
  frames    print the hashes of the hosted pages, and which are not as they were built

Settings, from the environment; NAME_FILE reads the value from a file:

${Object.entries(settings)
  .map(([name, meaning]) => `  ${name.padEnd(35)} ${meaning}`)
  .join('\n')}
`

/** The command line. Answers the exit code; `start` answers when it was told to stop. */
export async function run(parameters: run.Parameters): Promise<number> {
  const { environment, print, stop } = parameters
  const [command, subcommand] = parameters.arguments
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
    if (command === 'rotate-keys') return await rotate(environment, print)
    if (command === 'audit' && subcommand === 'verify') return await audit(environment, print)
    if (command === 'frames') {
      const files = pageHashes()
      print(files.map(({ path, hash, isPublished }) => `${hash}  ${path}${isPublished ? '' : '  CHANGED'}`).join('\n'))
      return files.every(({ isPublished }) => isPublished) ? 0 : 1
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

async function rotate(environment: Environment, print: (text: string) => void): Promise<number> {
  const { looked, rewrapped } = await rewrapKeys(readCustodyTask(environment), {
    onProgress: (progress) =>
      print(`${progress.table}: ${progress.looked} looked at, ${progress.rewrapped} re-wrapped`),
  })
  print(`Done: ${rewrapped} of ${looked} keys were re-wrapped; all are under the current key-encryption key.`)
  return 0
}

async function audit(environment: Environment, print: (text: string) => void): Promise<number> {
  const { organizations, entries, bad } = await auditLog(readCustodyTask(environment))
  if (!bad) {
    print(`The log is whole: ${entries} entries of ${organizations} organizations.`)
    return 0
  }
  const where = bad.seq === undefined ? '' : `, entry ${bad.seq}`
  print(`The log was changed. First bad row: organization ${bad.organizationId}${where}. ${bad.problem}`)
  return 1
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
