import { readFileSync } from 'node:fs'
import { configInvalid } from '../platform/errors/ServerError.ts'

/**
 * Reads a file of heads, as printed by `audit heads`.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readHeads(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw configInvalid(`The file of heads ${path} cannot be read.`, cause)
  }
}
