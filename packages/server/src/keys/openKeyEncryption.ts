import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { configInvalid, type ServerError } from '../platform/errors/ServerError.ts'
import { awsKmsKeyEncryption } from './awsKmsKeyEncryption.ts'
import { isKnownKey } from './isKnownKey.ts'
import { chainKeyEncryption, type KeyEncryption, localKeyEncryption } from './keyEncryption.ts'
import { vaultKeyEncryption } from './vaultKeyEncryption.ts'

/**
 * What wraps the keys of all wallets. `local`: 32 bytes in hex, handed over by a secret store. `file`: holds 32 bytes in
 * hex, and is made with a fresh key, readable by its owner only, when it does not exist.
 */
export type KeyEncryptionOptions =
  | { type: 'local'; key: string }
  | { type: 'file'; path: string }
  | ({ type: 'vault' } & vaultKeyEncryption.Options)
  | ({ type: 'aws-kms' } & awsKmsKeyEncryption.Options)

export declare namespace openKeyEncryption {
  type Parameters = {
    current: KeyEncryptionOptions
    /** Those whose wrapped keys are still stored. */
    previous?: readonly KeyEncryptionOptions[] | undefined
    mode: 'production' | 'development'
  }
}

/**
 * The key encryption that options describe.
 *
 * @throws `CONFIG_INVALID`, for a file and for a key that is no secret in production too.
 */
export function openKeyEncryption({ current, previous = [], mode }: openKeyEncryption.Parameters): KeyEncryption {
  const open = (options: KeyEncryptionOptions): KeyEncryption => {
    if (options.type === 'vault') return vaultKeyEncryption(options)
    if (options.type === 'aws-kms') return awsKmsKeyEncryption(options)
    return options.type === 'file' ? fileKeyEncryption(options.path, mode) : localKeyEncryption(options)
  }
  // A known key among those before is allowed: `rotate-keys` leads away from it.
  if (mode === 'production' && current.type === 'local' && isKnownKey(current.key)) throw knownKey('key-encryption key')
  return chainKeyEncryption(open(current), previous.map(open))
}

/** The error for a key of tests where value is kept. */
export function knownKey(name: string): ServerError {
  return configInvalid(
    `The ${name} is a test key that others know. Make your own with \`latchkey-server keys create\`.`,
  )
}

/** A key in a file beside the server: for development only, since a copy of the disk holds both the locks and their key. */
function fileKeyEncryption(path: string, mode: openKeyEncryption.Parameters['mode']): KeyEncryption {
  if (mode === 'production')
    throw configInvalid(
      'A key-encryption key in a file is for development only. Use an environment secret, Vault Transit or AWS KMS.',
    )
  return localKeyEncryption({ key: readKey(path) })
}

function readKey(path: string): string {
  try {
    // `wx`: of two that start at once, one makes the file and both read it.
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw configInvalid(`The key file ${path} cannot be made.`, error)
  }
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw configInvalid(`The key file ${path} cannot be read.`, error)
  }
}
