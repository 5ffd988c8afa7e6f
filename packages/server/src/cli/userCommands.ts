import { writeFileSync } from 'node:fs'
import { createLogger } from '../app/createLogger.ts'
import { deleteUser, exportUser, type UserQuery } from '../operations/userTasks.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import type { Call, Command, Outcome } from './command.ts'
import { readConfig, readCustodyTask, readDatabaseUrl } from './readConfig.ts'

/** Handles users' requests to an operator: data access and deletion. */
export const userCommands = {
  'user export': {
    takes: '--email ADDRESS | --organization ID [--out FILE]',
    does: 'print everything stored about a user as JSON, or write it to FILE (readable only by its owner). Keys are never included. Run it as the owner of the tables (DATABASE_URL)',
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
    does: "start the deletion of a user's account, as the user could: they get an email with a way to undo it, and after LATCHKEY_DELETION_GRACE_DAYS their keys, addresses and names are erased. Without --apply, only prints what would be deleted. Requires custody's settings",
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
    const text = `The organization ${id} has ${users.length} users and ${wallets.length} wallet accounts. Use --apply to delete it.`
    return { text, result: { organizationId: id, users: users.length, accounts: wallets.length, applied: false } }
  }
  const { server } = readConfig({ ...environment, LATCHKEY_ROLES: 'custody' })
  const { keysDestroyedAt } = await deleteUser(
    { databaseUrl, server, logger: createLogger({ level: 'warn' }) },
    id.toLowerCase(),
  )
  const at = keysDestroyedAt.toISOString()
  return {
    text: `The organization ${id} is deleted. Its keys will be destroyed on ${at}; until then the user can undo this.`,
    result: { organizationId: id, keysDestroyedAt: at, applied: true },
  }
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

function readQuery({ email, organization: organizationId }: Call['options']): UserQuery {
  if ((email === undefined) === (organizationId === undefined))
    throw configInvalid('Give --email ADDRESS or --organization ID.')
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
