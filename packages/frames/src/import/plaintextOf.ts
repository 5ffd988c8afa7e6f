import { FrameError } from '../FrameError.ts'
import type { Typed } from './readSecret.ts'

/** Between a seed phrase and the passphrase after it. */
const separator = '\n--PASS--\n'

/**
 * The bytes to seal: a seed phrase as UTF-8 text, with its passphrase if there is one, or the 32 bytes of a private
 * key. What was given must be whole and of the kind the app asks for; no message repeats any of it.
 */
export function plaintextOf(
  { typed, passphrase }: { typed: Typed; passphrase: string },
  wanted: 'phrase' | 'key',
  keyFormat: unknown,
): Uint8Array {
  if (keyFormat !== undefined && keyFormat !== 'HEXADECIMAL') {
    throw new FrameError('unsupported key format: this frame takes keys as HEXADECIMAL')
  }
  if (typed.kind === 'nothing') throw new FrameError('Nothing was typed yet')
  if (typed.kind === 'unfinished' || typed.kind === 'wrong') throw new FrameError(typed.help)
  if (typed.kind !== wanted) {
    const [given, asked] = wanted === 'key' ? ['seed phrase', 'private key'] : ['private key', 'seed phrase']
    throw new FrameError(`This is a ${given}; the app asks for a ${asked}`)
  }
  if (typed.kind === 'key') return typed.key
  return new TextEncoder().encode(passphrase === '' ? typed.phrase : `${typed.phrase}${separator}${passphrase}`)
}
