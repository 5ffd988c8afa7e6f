import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createLogger } from '../app/createLogger.ts'
import { createServer } from '../app/createServer.ts'
import { custodyKeyEncryption } from '../app/custodyKeyEncryption.ts'
import { auditLog, listLogHeads, rewrapKeys } from '../app/custodyTasks.ts'
import { pageHashes, servedPage } from '../frames/pageHashes.ts'
import { listen } from '../http/listen.ts'
import { configInvalid, ServerError } from '../http/ServerError.ts'
import { wrapServiceKey } from '../keys/openServiceSigner.ts'
import { applyGrants, databaseRoles, grantsSql } from '../store/grants.ts'
import { migrate } from '../store/migrate.ts'
import type { Environment } from './createReader.ts'
import { doctor, formatFindings } from './doctor.ts'
import { runOperators } from './operators.ts'
import { readBundleSigner, readConfig, readCustodyTask, readDatabaseUrl, readPaymasterKeyTask } from './readConfig.ts'
import { settings } from './settings.ts'

const usage = `latchkey-server <command>

  start     run the roles of LATCHKEY_ROLES until SIGTERM
  migrate   bring the database schema up to date
  grants [--apply]
            print the SQL that makes a user of the database for each role and grants it what it needs; with --apply run it
            as the owner of the tables, DATABASE_URL (the users then need passwords: alter role latchkey_mail login
            password '…')
  doctor    check database, stored keys, SMTP, node and bundler
  wrap-paymaster-key
            print LATCHKEY_PAYMASTER_KEY wrapped under the key-encryption key, for LATCHKEY_PAYMASTER_WRAPPED_KEY
  rotate-keys
            wrap all stored keys under the current key-encryption key, while the server runs; can be stopped and resumed
  audit heads
            print the ends of all chains of the log, a JSON object a line: keep them where nobody who can write to the
            database can write
  audit verify [--heads FILE]
            prove the log of activities, and name the first row that is wrong; with FILE also that the log still contains
            the ends printed before, so that nothing was cut off or set back since
  operators create | list | rotate | remove | heads | verify
            keys of the admin API and the log of what they did; operators --help says more
  frames    print the hashes of the hosted pages, and which are not as they were built; and the line to change in pages of
            the documented provider that you host yourself, so that they trust this custody
  frames URL
            compare the page that a frame's server sends with the published one, and print what it has filled in

Settings, from the environment; NAME_FILE reads the value from a file:

${Object.entries(settings.shape)
  .map(([name, { description }]) => `  ${name.padEnd(35)} ${description}`)
  .join('\n')}
`

export declare namespace run {
  type Parameters = {
    arguments: readonly string[]
    environment: Environment
    print: (text: string) => void
    /**
     * Errors, apart from the output of a command, which may go to a file.
     *
     * @default print
     */
    printError?: ((text: string) => void) | undefined
    /** Aborted to end `start`. */
    stop: AbortSignal
  }
}

/** The command line. Returns the exit code; that of `start` once it is stopped. */
export async function run(parameters: run.Parameters): Promise<number> {
  const { print, printError = print } = parameters
  const [first, ...rest] = parameters.arguments
  const call = first === 'operators' ? undefined : readCall(parameters)
  if (!call && first !== 'operators') {
    print(usage)
    return 2
  }
  try {
    if (!call) return await runOperators({ ...parameters, arguments: rest })
    return await commands[call.command](call)
  } catch (error) {
    printError(error instanceof ServerError ? error.message : `Unexpected: ${(error as Error)?.stack ?? error}`)
    return 1
  }
}

const commands = {
  help({ print }: Call): number {
    print(usage)
    return 0
  },
  start,
  async migrate({ environment, print }: Call): Promise<number> {
    const { applied } = await migrate({ databaseUrl: readDatabaseUrl(environment) })
    print(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is up to date.')
    return 0
  },
  async grants({ environment, print, apply }: Call): Promise<number> {
    if (!apply) print(grantsSql())
    else await applyGrants({ databaseUrl: readDatabaseUrl(environment) })
    if (apply) print(`Granted to ${Object.values(databaseRoles).join(', ')}.`)
    return 0
  },
  async doctor({ environment, print }: Call): Promise<number> {
    const findings = await doctor(readConfig(environment))
    print(formatFindings(findings))
    return findings.every((finding) => finding.ok) ? 0 : 1
  },
  async 'wrap-paymaster-key'({ environment, print }: Call): Promise<number> {
    const { key, custody } = readPaymasterKeyTask(environment)
    print(await wrapServiceKey(custodyKeyEncryption(custody), key))
    return 0
  },
  'rotate-keys': rotateKeys,
  async 'audit heads'({ environment, print }: Call): Promise<number> {
    await listLogHeads(readCustodyTask(environment), (head) => print(JSON.stringify(head)))
    return 0
  },
  'audit verify': verifyLog,
  frames({ print, environment }: Call): number {
    const files = pageHashes()
    const signer = readBundleSigner(environment)
    print(files.map(({ path, hash, isPublished }) => `${hash}  ${path}${isPublished ? '' : '  CHANGED'}`).join('\n'))
    print(
      signer
        ? pinning(signer)
        : 'Set LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY to see what a published page has to pin instead.',
    )
    return files.every(({ isPublished }) => isPublished) ? 0 : 1
  },
  'frames URL': compareServed,
}

type Call = run.Parameters & { command: keyof typeof commands; url: string; heads?: string | undefined; apply: boolean }

/** The command that the arguments name, with its operands; undefined when they name none. */
function readCall(parameters: run.Parameters): Call | undefined {
  const given = parse(parameters.arguments)
  if (!given) return undefined
  const { words, help, heads, apply = false } = given
  const [first, url = ''] = words
  if (help || first === undefined) return { ...parameters, command: 'help', url, apply }
  const command = first === 'frames' && words.length === 2 ? 'frames URL' : words.join(' ')
  if (!isCommand(command) || (heads !== undefined && command !== 'audit verify')) return undefined
  if (apply && command !== 'grants') return undefined
  return { ...parameters, command, url, heads, apply }
}

function parse(words: readonly string[]) {
  try {
    const options = {
      help: { type: 'boolean', short: 'h' },
      heads: { type: 'string' },
      apply: { type: 'boolean' },
    } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    return { ...values, words: positionals }
  } catch {
    // An option that does not exist, or one without its value.
    return undefined
  }
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name)
}

async function start({ environment, stop }: Call): Promise<number> {
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

async function rotateKeys({ environment, print }: Call): Promise<number> {
  const { looked, rewrapped } = await rewrapKeys(readCustodyTask(environment), {
    onProgress: (progress) =>
      print(`${progress.table}: ${progress.looked} looked at, ${progress.rewrapped} re-wrapped`),
  })
  print(`Done: ${rewrapped} of ${looked} keys were re-wrapped; all are under the current key-encryption key.`)
  return 0
}

async function verifyLog({ environment, print, heads: file }: Call): Promise<number> {
  const heads = file === undefined ? undefined : readHeads(file)
  const { organizations, entries, bad } = await auditLog(readCustodyTask(environment), { heads })
  if (!bad) {
    print(`The log is whole: ${entries} entries of ${organizations} organizations.`)
    return 0
  }
  const where = bad.seq === undefined ? '' : `, entry ${bad.seq}`
  print(`The log was changed. First bad row: organization ${bad.organizationId}${where}. ${bad.problem}`)
  return 1
}

function readHeads(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw configInvalid(`The file of heads ${path} cannot be read.`, cause)
  }
}

/** The signer that the documented provider's own pages pin for production (custody protocol § 4.4). */
const documentedSigner =
  '04cf288fe433cc4e1aa0ce1632feac4ea26bf2f5a09dcfe5a42c398e06898710330f0572882f4dbdf0f5304b8fc8703acd69adca9a4bbf7f5d00d20a5e364b2569'

/** For operators who host the documented provider's export and import pages with our custody. */
const pinning = (signer: string) =>
  `The published export and import pages pin another signer. Where you host them, change that one line:
  sed -i 's/${documentedSigner}/${signer}/' FILE`

async function compareServed({ url, print }: Call): Promise<number> {
  const { path, hash, isPublished, filledIn } = await servedPage({ url })
  print(`${hash}  ${path}${isPublished ? '' : '  CHANGED'}`)
  print(`  may be embedded by: ${filledIn.parentOrigins || 'nobody'}`)
  if (filledIn.bundleSigningKey) {
    print(`  trusts bundles of: ${filledIn.bundleSigningKey}`)
    print(pinning(filledIn.bundleSigningKey))
  }
  return isPublished ? 0 : 1
}
