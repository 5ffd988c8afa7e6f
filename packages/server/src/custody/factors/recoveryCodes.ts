import { createHmac, randomBytes } from 'node:crypto'
import { base32nopad } from '@scure/base'
import { recoveryCodes } from '../custodyLimits.ts'

/** 80 bits, 16 letters and digits. */
const codeBytes = 10

/**
 * Creates recovery codes and what is stored of them: HMACs under the factor's secret, so that the table does not help
 * to guess them.
 */
export function createRecoveryCodes(secret: Uint8Array): { codes: string[]; hashes: string[] } {
  const codes = Array.from({ length: recoveryCodes }, () =>
    base32nopad
      .encode(randomBytes(codeBytes))
      .toLowerCase()
      .replace(/(.{4})(?=.)/g, '$1-'),
  )
  return { codes, hashes: codes.map((code) => hashRecoveryCode(secret, code)) }
}

/** Returns the stored form of a code, however it was typed. */
export function hashRecoveryCode(secret: Uint8Array, code: string): string {
  const typed = code.replace(/[\s-]/g, '').toLowerCase()
  return createHmac('sha256', secret).update(`latchkey recovery code ${typed}`, 'utf8').digest('hex')
}
