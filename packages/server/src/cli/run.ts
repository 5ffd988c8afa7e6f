import { readFileSync } from 'node:fs'
import { createLogger } from '../app/createLogger.ts'
import { createServer } from '../app/createServer.ts'
import { auditLog, listLogHeads, rewrapKeys } from '../app/custodyTasks.ts'
import { pageHashes } from '../frames/pageHashes.ts'
import { servedPage } from '../frames/servedPage.ts'
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
  audit heads
            print the ends of all chains of the log, a JSON object a line: keep them where nobody who can write to the
            database can write
  audit verify [--heads FILE]
            prove the log of activities, and name the first row that is wrong; with FILE also that the log still contains
            the ends printed before, so that nothing was cut off or set back since
  frames    print the hashes of the hosted pages, and which are not as they were built
  frames URL
            compare the page that a frame's server sends with the published one, and print what it has filled in

Settings, from the environment; NAME_FILE reads the value from a file:

${Object.entries(settings)
  .map(([name, meaning]) => `  ${name.padEnd(35)} ${meaning}`)
  .join('\n')}
`

/** The command line. Answers the exit code; `start` answers when it was told to stop. */
export async function run(parameters: run.Parameters): Promise<number> {
  const { environment, print, printError = print, stop } = parameters
  const [command, subcommand, ...options] = parameters.arguments
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
    if (command === 'audit' && subcommand === 'heads' && options.length === 0) {
      await listLogHeads(readCustodyTask(environment), (head) => print(JSON.stringify(head)))
      return 0
    }
    if (command === 'audit' && subcommand === 'verify') {
      const [option, file] = options
      if (option === undefined) return await audit(environment, print)
      if (option === '--heads' && file !== undefined && options.length === 2)
        return await audit(environment, print, readHeadsFile(file))
    }
    if (command === 'frames') {
      if (subcommand) return await compareServed(subcommand, print)
      const files = pageHashes()
      print(files.map(({ path, hash, isPublished }) => `${hash}  ${path}${isPublished ? '' : '  CHANGED'}`).join('\n'))
      return files.every(({ isPublished }) => isPublished) ? 0 : 1
    }
    print(usage)
    return command === undefined || command === 'help' || command === '--help' ? 0 : 2
  } catch (error) {
    printError(error instanceof ServerError ? error.message : `Unexpected: ${(error as Error)?.stack ?? error}`)
    return 1
  }
}

export declare namespace run {
  type Parameters = {
    arguments: readonly string[]
    environment: Environment
    print: (text: string) => void
    /** Errors, apart from what a command answers and a file may take up. @default print */
    printError?: ((text: string) => void) | undefined
    /** Aborted to end `start`. */
    stop: AbortSignal
  }
}

async function compareServed(url: string, print: run.Parameters['print']): Promise<number> {
  const { path, hash, isPublished, filledIn } = await servedPage({ url })
  print(`${hash}  ${path}${isPublished ? '' : '  CHANGED'}`)
  print(`  may be embedded by: ${filledIn.parentOrigins || 'nobody'}`)
  if (filledIn.bundleSigningKey) print(`  trusts bundles of: ${filledIn.bundleSigningKey}`)
  return isPublished ? 0 : 1
}

async function rotate(environment: Environment, print: (text: string) => void): Promise<number> {
  const { looked, rewrapped } = await rewrapKeys(readCustodyTask(environment), {
    onProgress: (progress) =>
      print(`${progress.table}: ${progress.looked} looked at, ${progress.rewrapped} re-wrapped`),
  })
  print(`Done: ${rewrapped} of ${looked} keys were re-wrapped; all are under the current key-encryption key.`)
  return 0
}

function readHeadsFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ServerError(`The file of heads ${path} cannot be read.`, { code: 'CONFIG_INVALID', status: 500, cause })
  }
}

async function audit(environment: Environment, print: (text: string) => void, heads?: string): Promise<number> {
  const { organizations, entries, bad } = await auditLog(readCustodyTask(environment), { heads })
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
