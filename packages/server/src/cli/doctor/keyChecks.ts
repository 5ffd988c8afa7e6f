import { randomBytes } from 'node:crypto'
import { custodyKeyEncryption } from '../../app/custodyKeyEncryption.ts'
import { directUrl } from '../../app/openStores.ts'
import { type CustodyTask, openStoredKey } from '../../operations/custodyTasks.ts'
import { configInvalid, ServerError } from '../../platform/errors/ServerError.ts'
import { allowMissingTable } from './allowMissingTable.ts'
import type { Check, Skipped, Subject } from './checks.ts'

/** Checks that wallet keys can be opened and stored. */
export function keyChecks({ server }: Pick<Subject, 'server'>): Check[] {
  const { custody } = server
  if (!custody) return []
  return [
    { name: 'key encryption', run: () => checkRoundTrip(custody) },
    {
      name: 'stored keys',
      run: () => checkStoredKeys({ databaseUrl: directUrl(server, 'custody'), custody }),
    },
  ]
}

/** Wraps and unwraps a generated key, as custody does for a wallet's creation and first signature. */
async function checkRoundTrip(custody: CustodyTask['custody']): Promise<string> {
  const encryption = custodyKeyEncryption(custody)
  const [key, aad] = [randomBytes(32), Buffer.from('latchkey doctor')]
  const wrapped = await encryption.wrap(key, aad)
  if (!Buffer.from(await encryption.unwrap(wrapped, aad)).equals(key))
    throw configInvalid('returns another key than it was given: start with no wallet on it, and check the key service')
  const opensOther = await encryption.unwrap(wrapped, Buffer.from('latchkey other')).then(
    () => true,
    () => false,
  )
  if (opensOther)
    throw configInvalid(
      'unwraps a key for another wallet than it was wrapped for: the key service must bind associated data (Vault: a transit key of type aes256-gcm96; AWS and Google Cloud KMS: a symmetric key)',
    )
  return 'wraps and unwraps a key'
}

async function checkStoredKeys(task: CustodyTask): Promise<string | Skipped> {
  try {
    await openStoredKey(task)
    return 'the key-encryption key unwraps them'
  } catch (error) {
    if (error instanceof ServerError && error.code === 'NOT_FOUND') return 'none yet'
    return allowMissingTable(error)
  }
}
