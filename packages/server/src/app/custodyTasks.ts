import { verifyLog } from '../custody/audit/verifyLog.ts'
import { readMacKey } from '../custody/macKey.ts'
import { rotateKeys } from '../custody/rotateKeys.ts'
import { ServerError } from '../http/ServerError.ts'
import type { KeyEncryption } from '../keys/keyEncryption.ts'
import { type Db, openStore } from '../store/openStore.ts'
import { custodyKeyEncryption } from './custodyKeyEncryption.ts'
import type { ServerOptions } from './options.ts'

type Options = Pick<ServerOptions, 'databaseUrl' | 'custody'>

/**
 * Proves the activity log of a server, beside it while it runs.
 *
 * @throws ServerError
 */
export function auditLog(options: Options): Promise<verifyLog.ReturnType> {
  return withCustody(options, async (db, keyEncryption) => verifyLog(db, await readMacKey(db, keyEncryption)))
}

/**
 * Re-wraps the stored keys of a server under its current key-encryption key, beside it while it runs.
 *
 * @throws ServerError
 */
export function rewrapKeys(options: Options, settings: rotateKeys.Options = {}): Promise<rotateKeys.ReturnType> {
  return withCustody(options, (db, keyEncryption) => rotateKeys(db, keyEncryption, settings))
}

async function withCustody<result>(
  { databaseUrl, custody }: Options,
  use: (db: Db, keyEncryption: KeyEncryption) => Promise<result>,
): Promise<result> {
  if (!custody)
    throw new ServerError('This needs the options of custody: give `custody`.', { code: 'CONFIG_INVALID', status: 500 })
  const store = await openStore({ databaseUrl, maxConnections: 2 })
  try {
    return await use(store.db, custodyKeyEncryption(custody))
  } finally {
    await store.close()
  }
}
