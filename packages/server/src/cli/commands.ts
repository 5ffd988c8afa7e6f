import { setTimeout } from 'node:timers/promises'
import { createLogger } from '../app/createLogger.ts'
import { createServer } from '../app/createServer.ts'
import { custodyKeyEncryption } from '../app/custodyKeyEncryption.ts'
import { pageHashes, servedPage } from '../frames/pageHashes.ts'
import { wrapServiceKey } from '../keys/openServiceSigner.ts'
import { auditLog, listLogHeads, rewrapKeys } from '../operations/custodyTasks.ts'
import { applyGrants, databaseRoles, grantsSql } from '../platform/database/grants.ts'
import { migrate } from '../platform/database/migrate.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { listen } from '../platform/http/listen.ts'
import { measureProcess, respondWithMetrics } from '../platform/observability/metrics.ts'
import { isTraced, startTracing } from '../platform/observability/tracing.ts'
import type { Call, Command, Outcome } from './command.ts'
import { hashConfigFiles } from './configFiles.ts'
import { createKeys } from './createKeys.ts'
import { countFindings, doctor, formatFindings, nameUsedSettings } from './doctor/doctor.ts'
import { initCommand } from './init/init.ts'
import { moveCommands } from './moveCommands.ts'
import { operatorCommands } from './operatorCommands.ts'
import { projectCommands } from './projectCommands.ts'
import { readBundleSigner, readConfig, readCustodyTask, readDatabaseUrl, readPaymasterKeyTask } from './readConfig.ts'
import { readHeads } from './readHeads.ts'
import { readRolePasswords } from './readRolePasswords.ts'
import { userCommands } from './userCommands.ts'
import { watchConfig } from './watchConfig.ts'
import { webhookCommands } from './webhookCommands.ts'

/** Maximum milliseconds of a request. */
const requestMs = 30_000

/** All commands, in the order of `--help`. */
export const commands: Readonly<Record<string, Command>> = {
  start: {
    does: 'run the roles in LATCHKEY_ROLES until SIGTERM. Reads changed files of projects, policies, issuers, operators and webhook secrets by itself, and on SIGHUP',
    run: start,
  },
  init: initCommand,
  'keys create': {
    takes: '--out FOLDER',
    does: 'create every key a server needs, one file per setting, for use as NAME_FILE. Files are readable only by their owner; secrets are never printed and no file is overwritten',
    options: ['out'],
    run({ options }) {
      if (!options.out)
        throw configInvalid('Give --out FOLDER for the keys. Choose a disk that is not part of your backups.')
      const { files, published } = createKeys(options.out)
      const lines = [...files, '', ...Object.entries(published).map(([name, value]) => `${name}=${value}`)]
      return { text: lines.join('\n'), result: { files, published } }
    },
  },
  migrate: {
    does: 'update the database schema. Run it as the owner of the tables (DATABASE_URL)',
    async run({ environment }) {
      const { applied } = await migrate({ databaseUrl: readDatabaseUrl(environment) })
      const text = applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'The schema is up to date.'
      return { text, result: { applied } }
    },
  },
  grants: {
    takes: '[--apply [--passwords]]',
    does: "print the SQL that creates a database user for each role with the privileges it needs. --apply runs it as the owner of the tables (DATABASE_URL). --passwords also sets the passwords that LATCHKEY_CUSTODY_DATABASE_URL and the other roles' URLs contain; without it, set them afterwards: alter role latchkey_mail login password '…'",
    options: ['apply', 'passwords'],
    async run({ environment, options }) {
      if (!options.apply) return { text: grantsSql(), result: { sql: grantsSql() } }
      const databaseUrl = readDatabaseUrl(environment)
      const passwords = options.passwords ? readRolePasswords(environment) : {}
      await applyGrants({ databaseUrl, passwords })
      const users = Object.values(databaseRoles)
      const granted = `Granted to ${users.join(', ')}.`
      const roles = Object.keys(passwords)
      return {
        text: roles.length > 0 ? `${granted} Set the passwords of ${roles.join(', ')}.` : granted,
        result: { users, ...(options.passwords && { passwords: roles }) },
      }
    },
  },
  doctor: {
    does: 'check what the roles in LATCHKEY_ROLES depend on: database, stored keys, SMTP, node, bundler. Each line is ok, skip (not looked at, with the reason) or FAIL (with the fix); fails only if a line is FAIL',
    async run({ environment }) {
      const findings = nameUsedSettings(await doctor(readConfig(environment)), environment)
      const totals = countFindings(findings)
      return { text: formatFindings(findings), result: { findings, totals }, ok: totals.fail === 0 }
    },
  },
  'wrap-paymaster-key': {
    does: 'wrap LATCHKEY_PAYMASTER_KEY with the key-encryption key and print it, for LATCHKEY_PAYMASTER_WRAPPED_KEY',
    async run({ environment }) {
      const { key, custody } = readPaymasterKeyTask(environment)
      const wrapped = await wrapServiceKey(custodyKeyEncryption(custody), key)
      return { text: wrapped, result: { wrapped } }
    },
  },
  'rotate-keys': {
    does: 're-wrap all stored keys with the current key-encryption key. Runs beside the server; can be interrupted and resumed',
    async run({ environment, onProgress }) {
      const { looked, rewrapped } = await rewrapKeys(readCustodyTask(environment), {
        onProgress: (progress) =>
          onProgress(`${progress.table}: ${progress.looked} checked, ${progress.rewrapped} re-wrapped`),
      })
      const text = `Done: re-wrapped ${rewrapped} of ${looked} keys. All keys use the current key-encryption key.`
      return { text, result: { looked, rewrapped } }
    },
  },
  'audit heads': {
    does: 'print the head of every chain of the audit log, one JSON object per line. Store them where nobody with write access to the database can change them',
    async run({ environment }) {
      const heads: unknown[] = []
      await listLogHeads(readCustodyTask(environment), (head) => void heads.push(head))
      return { text: heads.map((head) => JSON.stringify(head)).join('\n'), result: { heads } }
    },
  },
  'audit verify': {
    takes: '[--heads FILE]',
    does: 'verify the audit log and report the first invalid row. With --heads, also verify that the log still contains these heads, so that nothing was truncated or rolled back',
    options: ['heads'],
    run: verifyLog,
  },
  ...moveCommands,
  ...operatorCommands,
  ...projectCommands,
  ...userCommands,
  ...webhookCommands,
  frames: {
    takes: '[URL]',
    does: 'print the hashes of the hosted pages and report those that differ from the build. Also prints the line to change in self-hosted pages of the documented provider so that they trust this custody. With URL, compare the page served there with the published one and print the values filled in',
    operands: [0, 1],
    run: (call) => (call.operands[0] === undefined ? listPages(call) : compareServed(call.operands[0])),
  },
}

async function start({ environment, stop, onHangup }: Call): Promise<Outcome> {
  // Hashes the files before they are read, so that later changes are noticed.
  const atStart = hashConfigFiles(environment)
  const config = readConfig(environment)
  const logger = createLogger({ level: config.logLevel })
  const endTracing = isTraced(environment) ? await startTracing() : async () => undefined
  const server = await createServer({ ...config.server, logger }).catch(async (error: unknown) => {
    await endTracing()
    throw error
  })
  let metrics: listen.ReturnType | undefined
  const watch = watchConfig({ environment, server, logger, atStart })
  const endHangup = onHangup?.(() => void watch.reload())
  try {
    if (config.metrics) {
      measureProcess()
      metrics = await listen(respondWithMetrics, config.metrics)
      logger.info({ url: metrics.url }, 'Metrics')
    }
    const { port, host, allowedHosts } = config
    const listener = await listen(server.fetch, { port, host, allowedHosts })
    logger.info({ url: listener.url, roles: config.server.roles }, 'Ready')
    if (!stop.aborted) await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }))
    logger.info({ seconds: config.drainSeconds }, 'Draining')
    server.drain()
    listener.drain()
    // Waits until balancers notice the 503 of /readyz and send no more requests.
    await setTimeout(config.drainSeconds * 1_000)
    await listener.close({ graceMs: requestMs })
    logger.info({}, 'Ended')
  } finally {
    endHangup?.()
    await watch.close()
    await metrics?.close()
    await server.close()
    // An unreachable collector must not delay the exit.
    await endTracing().catch(() => logger.warn({}, 'The last traces could not be sent'))
  }
  return { text: '', result: {} }
}

async function verifyLog({ environment, options }: Call): Promise<Outcome> {
  const heads = options.heads === undefined ? undefined : readHeads(options.heads)
  const result = await auditLog(readCustodyTask(environment), { heads })
  const { organizations, entries, erased, bad } = result
  const also = erased > 0 ? ` The content of ${erased} was erased with deleted accounts.` : ''
  if (!bad) return { text: `The log is intact: ${entries} entries of ${organizations} organizations.${also}`, result }
  const where = bad.seq === undefined ? '' : `, entry ${bad.seq}`
  const text = `The log was changed. First invalid row: organization ${bad.organizationId}${where}. ${bad.problem}`
  return { text, result, ok: false }
}

function listPages({ environment }: Call): Outcome {
  const pages = pageHashes()
  const signer = readBundleSigner(environment)
  const lines = pages.map(({ path, hash, isPublished }) => `${hash}  ${path}${isPublished ? '' : '  CHANGED'}`)
  const advice = signer
    ? pinning(signer)
    : 'Set LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY to see the key that a published page must pin instead.'
  const ok = pages.every(({ isPublished }) => isPublished)
  return { text: [...lines, advice].join('\n'), result: { pages }, ok }
}

/** Signing key that the hosted provider's production pages pin (custody protocol § 4.4). */
const documentedSigner =
  '04cf288fe433cc4e1aa0ce1632feac4ea26bf2f5a09dcfe5a42c398e06898710330f0572882f4dbdf0f5304b8fc8703acd69adca9a4bbf7f5d00d20a5e364b2569'

/**
 * Explains how to change the signer that the hosted provider's published export and import pages pin. This is for
 * operators who serve these pages with Latchkey's custody.
 */
const pinning = (signer: string) =>
  `The published export and import pages pin another signer. Where you host them, change that one line:
  sed -i 's/${documentedSigner}/${signer}/' FILE`

async function compareServed(url: string): Promise<Outcome> {
  const page = await servedPage({ url })
  const { path, hash, isPublished, filledIn } = page
  const lines = [
    `${hash}  ${path}${isPublished ? '' : '  CHANGED'}`,
    `  may be embedded by: ${filledIn.parentOrigins || 'nobody'}`,
  ]
  if (filledIn.bundleSigningKey)
    lines.push(`  trusts bundles of: ${filledIn.bundleSigningKey}`, pinning(filledIn.bundleSigningKey))
  return { text: lines.join('\n'), result: page, ok: isPublished }
}
