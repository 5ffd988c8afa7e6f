import { configInvalid } from '../errors/ServerError.ts'
import { readHex } from './encodings.ts'

/**
 * Reads a 32-byte key from hex, with or without `0x`. The error contains the setting's name, never its value.
 *
 * @throws `CONFIG_INVALID`.
 */
export function parseKey(hex: string, name: string): Uint8Array {
  const key = readHex(hex.startsWith('0x') ? hex.slice(2) : hex)
  if (key?.length !== 32) throw configInvalid(`${name} must be 32 bytes as 64 hex digits.`)
  return new Uint8Array(key)
}
