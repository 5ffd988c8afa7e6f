import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { ServerError } from '../http/ServerError.ts'
import { type KeyEncryption, localKeyEncryption } from './keyEncryption.ts'

export declare namespace fileKeyEncryption {
  type Options = {
    /** Holds 32 bytes in hex; made with a fresh key, readable by its owner only, when it is not there. */
    path: string
    mode: 'production' | 'development'
  }
}

/**
 * Key encryption with a key in a file beside the server: for development only, since whoever copies the disk has both
 * the locks and their key.
 *
 * @throws ServerError `CONFIG_INVALID` in production, or when the file cannot be used
 */
export function fileKeyEncryption({ path, mode }: fileKeyEncryption.Options): KeyEncryption {
  if (mode === 'production')
    throw invalid('A key-encryption key in a file is for development only. Use an environment secret or Vault Transit.')
  return localKeyEncryption({ key: readKey(path) })
}

function readKey(path: string): string {
  try {
    // `wx`: of two that start at once, one makes the file and both read it.
    writeFileSync(path, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw invalid(`The key file ${path} cannot be made.`, error)
  }
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw invalid(`The key file ${path} cannot be read.`, error)
  }
}

function invalid(message: string, cause?: unknown): ServerError {
  return new ServerError(message, { code: 'CONFIG_INVALID', status: 500, cause })
}
