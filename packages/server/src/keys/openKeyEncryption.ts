import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { configInvalid, type ServerError } from '../platform/errors/ServerError.ts'
import { awsKmsKeyEncryption } from './awsKmsKeyEncryption.ts'
import { gcpKmsKeyEncryption } from './gcpKmsKeyEncryption.ts'
import { isKnownKey } from './isKnownKey.ts'
import { chainKeyEncryption, type KeyEncryption, localKeyEncryption } from './keyEncryption.ts'
import { vaultKeyEncryption } from './vaultKeyEncryption.ts'

/**
 * Options of the key encryption for all wallets' keys. `local`: 32 bytes in hex, from a secret store. `file`: a file
 * with 32 bytes in hex; if missing, it is created with a new key, readable only by its owner.
 */
export type KeyEncryptionOptions =
  | { type: 'local'; key: string }
  | { type: 'file'; path: string }
  | ({ type: 'vault' } & vaultKeyEncryption.Options)
  | ({ type: 'aws-kms' } & awsKmsKeyEncryption.Options)
  | ({ type: 'gcp-kms' } & gcpKmsKeyEncryption.Options)

export declare namespace openKeyEncryption {
  type Parameters = {
    current: KeyEncryptionOptions
    /** Previous key encryptions under which keys are still stored. */
    previous?: readonly KeyEncryptionOptions[] | undefined
    mode: 'production' | 'development'
  }
}

/**
 * Opens the configured key encryption.
 * @throws `CONFIG_INVALID`; in production also for a file or a known key.
 */
export function openKeyEncryption({ current, previous = [], mode }: openKeyEncryption.Parameters): KeyEncryption {
  const open = (options: KeyEncryptionOptions): KeyEncryption => {
    if (options.type === 'vault') return vaultKeyEncryption(options)
    if (options.type === 'aws-kms') return awsKmsKeyEncryption(options)
    if (options.type === 'gcp-kms') return gcpKmsKeyEncryption(options)
    return options.type === 'file' ? fileKeyEncryption(options.path, mode) : localKeyEncryption(options)
  }
  // A known previous key is allowed, so that `rotate-keys` can replace it.
  if (mode === 'production' && current.type === 'local' && isKnownKey(current.key)) throw knownKey('key-encryption key')
  return chainKeyEncryption(open(current), previous.map(open))
}

export function knownKey(name: string): ServerError {
  return configInvalid(
    `The ${name} is a test key that others know. Make your own with \`latchkey-server keys create\`.`,
  )
}

/** Uses a key in a local file. For development only, since a copy of the disk contains both ciphertext and key. */
function fileKeyEncryption(path: string, mode: openKeyEncryption.Parameters['mode']): KeyEncryption {
  if (mode === 'production')
    throw configInvalid(
      'A key-encryption key in a file is for development only. Use an environment secret, Vault Transit or AWS KMS.',
    )
  return localKeyEncryption({ key: readKey(path) })
}

function readKey(path: string): string {
  try {
    // `wx`: if two processes start at the same time, one creates the file and both read it.
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
