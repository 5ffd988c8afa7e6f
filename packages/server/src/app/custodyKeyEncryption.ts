import type { KeyEncryption } from '../keys/keyEncryption.ts'
import { openKeyEncryption } from '../keys/openKeyEncryption.ts'
import type { CustodyOptions } from './options.ts'

/**
 * The key encryption of custody's options.
 *
 * @throws `CONFIG_INVALID`.
 */
export function custodyKeyEncryption(
  custody: Pick<CustodyOptions, 'keyEncryption' | 'previousKeyEncryption' | 'mode'>,
): KeyEncryption {
  const { keyEncryption, previousKeyEncryption, mode = 'production' } = custody
  return openKeyEncryption({ current: keyEncryption, previous: previousKeyEncryption, mode })
}
