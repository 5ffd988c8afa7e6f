import { fileKeyEncryption } from './fileKeyEncryption.ts'
import { chainKeyEncryption, type KeyEncryption, localKeyEncryption } from './keyEncryption.ts'
import { vaultKeyEncryption } from './vaultKeyEncryption.ts'

/** What wraps the keys of all wallets. `local`: 32 bytes in hex, handed over by a secret store. */
export type KeyEncryptionOptions =
  | { type: 'local'; key: string }
  | { type: 'file'; path: string }
  | ({ type: 'vault' } & vaultKeyEncryption.Options)

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
 * @throws ServerError `CONFIG_INVALID`
 */
export function openKeyEncryption({ current, previous = [], mode }: openKeyEncryption.Parameters): KeyEncryption {
  const open = (options: KeyEncryptionOptions): KeyEncryption => {
    if (options.type === 'vault') return vaultKeyEncryption(options)
    return options.type === 'file' ? fileKeyEncryption({ ...options, mode }) : localKeyEncryption(options)
  }
  return chainKeyEncryption(open(current), previous.map(open))
}
