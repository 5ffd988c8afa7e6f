import type { CustodyTask } from '../app/custodyTasks.ts'
import type { CustodyOptions } from '../app/options.ts'
import type { KeyEncryptionOptions } from '../keys/openKeyEncryption.ts'
import type { Reader } from './createReader.ts'

/** Options of the custody role. */
export function readCustody(reader: Reader): CustodyOptions {
  return {
    ...readKeyEncryption(reader),
    rootApiPublicKey: reader.required('LATCHKEY_ROOT_API_PUBLIC_KEY'),
    mailSealKey: reader.required('LATCHKEY_MAIL_SEAL_KEY'),
    bundleSigningKey: reader.optional('LATCHKEY_BUNDLE_SIGNING_KEY'),
    stepUp: reader.choice('LATCHKEY_STEP_UP', ['required', 'off']),
  }
}

/** What wraps the keys of all wallets, and what did before. */
export function readKeyEncryption(reader: Reader): CustodyTask['custody'] {
  const previous = reader.optional('LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS')?.split(',') ?? []
  return {
    keyEncryption: readCurrent(reader),
    previousKeyEncryption: previous.map((key) => ({ type: 'local', key: key.trim() })),
    mode: reader.choice('LATCHKEY_MODE', ['production', 'development']),
  }
}

function readCurrent(reader: Reader): KeyEncryptionOptions {
  const type = reader.choice('LATCHKEY_KEY_ENCRYPTION', ['secret', 'vault', 'file'])
  if (type === 'secret') return { type: 'local', key: reader.required('LATCHKEY_KEY_ENCRYPTION_KEY') }
  if (type === 'file') return { type, path: reader.required('LATCHKEY_KEY_ENCRYPTION_PATH') }
  return {
    type,
    url: reader.url('LATCHKEY_VAULT_URL'),
    token: reader.required('LATCHKEY_VAULT_TOKEN'),
    key: reader.required('LATCHKEY_VAULT_KEY'),
    mount: reader.optional('LATCHKEY_VAULT_MOUNT'),
    namespace: reader.optional('LATCHKEY_VAULT_NAMESPACE'),
  }
}
