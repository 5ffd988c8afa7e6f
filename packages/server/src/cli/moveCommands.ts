import { z } from 'zod'
import { exportProject, importProject, makeTicket, reopenMoved, reportMoves } from '../operations/moveProject.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import type { Call, Command, Outcome } from './command.ts'
import { readProjectsFile, readProjectsPath } from './projectsFile.ts'
import { readCustodyTask } from './readConfig.ts'

/**
 * Moves a project with all its users between servers of the same operator. The commands connect as the tables' owner
 * (DATABASE_URL).
 */
export const moveCommands = {
  'move ticket': {
    takes: '--out FILE',
    does: 'run on the server that receives a project: create a key for the transfer, wrapped with the key-encryption key, and print its fingerprint for `move export`',
    options: ['out'],
    run: ticket,
  },
  'move export': {
    takes: '--organization UUID --ticket FILE --fingerprint HEX --out FILE [--close]',
    does: 'write all users of a project to a new file, encrypted to the ticket. --close stops serving them here before the file is written; without it, the file is a rehearsal',
    options: ['organization', 'ticket', 'fingerprint', 'out', 'close'],
    run: runExport,
  },
  'move import': {
    takes: 'FILE --ticket FILE --sha256 HEX [--rehearsal]',
    does: 'import an exported project under the keys of this server, all or nothing. Requires the project in LATCHKEY_PROJECTS_FILE with the same organizationId, a custody that has started with it, and no sign-ups yet',
    options: ['ticket', 'sha256', 'rehearsal'],
    operands: [1, 1],
    run: runImport,
  },
  'move reopen': {
    takes: '--organization UUID --closed-at TIME',
    does: 'serve the users again that `move export --close` closed here. Use it only if the file was never imported',
    options: ['organization', 'closed-at'],
    run: reopen,
  },
  'move report': {
    takes: '--organization UUID --list FILE',
    does: 'report which users of another service have moved their wallet here, which failed and with which code, and which are missing. FILE lists the first address of each wallet there, one per line. Exits with 1 while users are missing',
    options: ['organization', 'list'],
    run: report,
  },
} as const satisfies Record<string, Command>

/** Reads custody's settings with the database URL of the tables' owner, who is allowed to lock the tables. */
const readTask = ({ environment }: Call) =>
  readCustodyTask({ ...environment, LATCHKEY_CUSTODY_DATABASE_URL: undefined })

async function ticket(call: Call): Promise<Outcome> {
  const { custody } = readTask(call)
  const result = await makeTicket({ custody, path: need('--out', call.options.out) })
  return { text: `${result.path}\nFingerprint: ${result.fingerprint}`, result }
}

async function runExport(call: Call): Promise<Outcome> {
  const { organization, ticket, fingerprint, out, close = false } = call.options
  const result = await exportProject({
    ...readTask(call),
    parentId: readOrganization(organization),
    ticketPath: need('--ticket', ticket),
    fingerprint: need('--fingerprint', fingerprint),
    path: need('--out', out),
    close,
  })
  const state = result.closedAt
    ? `Closed ${result.accounts} accounts here at ${result.closedAt}.`
    : 'This was a rehearsal.'
  return { text: `${result.path}\nsha256: ${result.sha256}\n${state}`, result }
}

async function runImport(call: Call): Promise<Outcome> {
  const { ticket, sha256, rehearsal = false } = call.options
  const projects = readProjectsFile(readProjectsPath(call.environment))
  const result = await importProject({
    ...readTask(call),
    parentIds: projects.flatMap(({ organizationId }) => organizationId?.toLowerCase() ?? []),
    ticketPath: need('--ticket', ticket),
    path: call.operands[0] ?? '',
    sha256: need('--sha256', sha256),
    isRehearsal: rehearsal,
  })
  const { accounts, rows, entries } = result
  return { text: `Imported ${accounts} accounts in ${rows} rows. The log is intact: ${entries} entries.`, result }
}

async function reopen(call: Call): Promise<Outcome> {
  const at = new Date(need('--closed-at', call.options['closed-at']))
  if (Number.isNaN(at.getTime())) throw configInvalid('--closed-at must be the time that `move export` printed.')
  const accounts = await reopenMoved({ ...readTask(call), parentId: readOrganization(call.options.organization), at })
  return { text: `Reopened ${accounts} accounts.`, result: { accounts }, ok: accounts > 0 }
}

async function report(call: Call): Promise<Outcome> {
  const { organization, list } = call.options
  const result = await reportMoves({
    ...readTask(call),
    parentId: readOrganization(organization),
    listPath: need('--list', list),
  })
  const { moved, failed, waiting, unlisted } = result
  const lines = [
    ...failed.map(({ address, reason, at }) => `failed   ${address}  ${reason}  ${at}`),
    ...waiting.map((address) => `missing  ${address}`),
    ...unlisted.map(({ address, at }) => `unlisted ${address}  ${at}`),
    `${moved.length} moved, ${failed.length} failed, ${waiting.length} not come yet, ${unlisted.length} moved and not listed.`,
  ]
  return { text: lines.join('\n'), result, ok: failed.length + waiting.length === 0 }
}

function need(name: string, value: string | undefined): string {
  if (value) return value
  throw configInvalid(`Give ${name}.`)
}

function readOrganization(id: string | undefined): string {
  const parsed = z.uuid().safeParse(id)
  if (parsed.success) return parsed.data.toLowerCase()
  throw configInvalid('Give --organization UUID, the organizationId of the project.')
}
