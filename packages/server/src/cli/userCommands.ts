import { writeFileSync } from 'node:fs'
import { createLogger } from '../app/createLogger.ts'
import { deleteUser, exportUser, type UserQuery } from '../operations/userTasks.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import type { Call, Command, Outcome } from './command.ts'
import { readConfig, readCustodyTask, readDatabaseUrl } from './readConfig.ts'

/** Handles users' requests to an operator: their data, and deletion. */
export const userCommands = {
  'user export': {
    takes: '--email ADDRESS | --organization ID [--out FILE]',
    does: 'print all that is stored of a person as JSON, or write it to FILE, which only its owner reads: never keys. As the owner of the tables (DATABASE_URL)',
    options: ['email', 'organization', 'out'],
    async run({ environment, options }) {
      const exported = await exportUser({ databaseUrl: readDatabaseUrl(environment) }, readQuery(options))
      const text = JSON.stringify(exported, null, 2)
      if (options.out === undefined) return { text, result: exported }
      write(options.out, `${text}\n`)
      return { text: `Written to ${options.out}.`, result: { file: options.out } }
    },
  },
  'user delete': {
    takes: '--organization ID [--apply]',
    does: "begin the deletion of a person's account, as they could themselves: they get a mail with a way back, and after LATCHKEY_DELETION_GRACE_DAYS keys, addresses and names are erased. Without --apply it only says what would be deleted. With custody's settings",
    options: ['organization', 'apply'],
    run: remove,
  },
} as const satisfies Record<string, Command>

async function remove({ environment, options }: Call): Promise<Outcome> {
  const { organization: id } = options
  if (id === undefined) throw configInvalid('Give --organization ID: `user export --email ADDRESS` shows it.')
  const { databaseUrl } = readCustodyTask(environment)
  if (!options.apply) {
    const { users, wallets } = await exportUser({ databaseUrl }, readQuery(options))
    const text = `The organization ${id} has ${users.length} users and ${wallets.length} accounts of wallets. --apply deletes it.`
    return { text, result: { organizationId: id, users: users.length, accounts: wallets.length, applied: false } }
  }
  const { server } = readConfig({ ...environment, LATCHKEY_ROLES: 'custody' })
  const { keysDestroyedAt } = await deleteUser(
    { databaseUrl, server, logger: createLogger({ level: 'warn' }) },
    id.toLowerCase(),
  )
  const at = keysDestroyedAt.toISOString()
  return {
    text: `The organization ${id} is deleted. Its keys are destroyed on ${at}; until then its person can take it back.`,
    result: { organizationId: id, keysDestroyedAt: at, applied: true },
  }
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

function readQuery({ email, organization: organizationId }: Call['options']): UserQuery {
  if ((email === undefined) === (organizationId === undefined))
    throw configInvalid('Say who: --email ADDRESS or --organization ID.')
  if (organizationId !== undefined && !uuid.test(organizationId)) throw configInvalid('--organization must be a UUID.')
  return { email, organizationId }
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST')
      throw configInvalid(`${file} exists already. Name another file.`)
    throw configInvalid(`${file} cannot be written. Name a file in a folder that exists.`)
  }
}
