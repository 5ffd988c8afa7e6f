import { backup } from '../operations/backup.ts'
import { restore } from '../operations/restore.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import type { Call, Command, Outcome } from './command.ts'
import { createReader } from './createReader.ts'
import { readCustodyTask, readDatabaseUrl } from './readConfig.ts'
import { readHeads } from './readHeads.ts'
import { settings } from './settings.ts'

/** Both as the owner of the tables, DATABASE_URL. */
export const backupCommands = {
  backup: {
    takes: '--out FILE',
    does: 'write the database as of one moment to a new file sealed to LATCHKEY_BACKUP_PUBLIC_KEY, while the servers run. It does not hold the key-encryption key: keep that elsewhere',
    options: ['out'],
    run: runBackup,
  },
  restore: {
    takes: 'FILE --heads FILE | --without-heads',
    does: 'write a backup into the empty database of DATABASE_URL with LATCHKEY_BACKUP_KEY, all or nothing: not where the log of activities is not whole, or lacks the ends that `audit heads` printed before the backup',
    options: ['heads', 'without-heads'],
    operands: [1, 1],
    run: runRestore,
  },
} as const satisfies Record<string, Command>

async function runBackup({ environment, options }: Call): Promise<Outcome> {
  if (!options.out) throw configInvalid('Give --out FILE, a file that does not exist.')
  const reader = createReader(environment)
  const setting = settings.pick({ LATCHKEY_BACKUP_PUBLIC_KEY: true })
  const publicKey = reader.settle(reader.read(setting, (values) => values.LATCHKEY_BACKUP_PUBLIC_KEY))
  const result = await backup({ databaseUrl: readDatabaseUrl(environment), publicKey, path: options.out })
  return { text: `${result.path}: ${result.tables} tables, ${result.bytes} bytes.`, result }
}

async function runRestore({ environment, operands, options }: Call): Promise<Outcome> {
  const [path = ''] = operands
  if ((options.heads === undefined) === !options['without-heads'])
    throw configInvalid('Give --heads FILE, as `audit heads` printed it before the backup, or say --without-heads.')
  const reader = createReader(environment)
  const setting = settings.pick({ LATCHKEY_BACKUP_KEY: true })
  const privateKey = reader.settle(reader.read(setting, (values) => values.LATCHKEY_BACKUP_KEY))
  const heads = options.heads === undefined ? undefined : readHeads(options.heads)
  // As the owner, who may make tables, also where custody has a user of its own.
  const { custody } = readCustodyTask({ ...environment, LATCHKEY_CUSTODY_DATABASE_URL: undefined })
  const result = await restore({ databaseUrl: readDatabaseUrl(environment), custody, path, privateKey, heads })
  const { tables, entries, organizations } = result
  return {
    text: `Restored ${tables} tables; the log is whole: ${entries} entries of ${organizations} organizations.`,
    result,
  }
}
