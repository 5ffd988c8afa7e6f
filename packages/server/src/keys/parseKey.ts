import { ServerError } from '../http/ServerError.ts'

/**
 * Reads a 32-byte key from hex, with or without `0x`. The error names the setting, never the value.
 *
 * @throws ServerError `CONFIG_INVALID`
 */
export function parseKey(hex: string, name: string): Uint8Array {
  const digits = hex.startsWith('0x') ? hex.slice(2) : hex
  if (!/^[0-9a-fA-F]{64}$/.test(digits))
    throw new ServerError(`${name} must be 32 bytes as 64 hex digits.`, { code: 'CONFIG_INVALID', status: 500 })
  return new Uint8Array(Buffer.from(digits, 'hex'))
}
