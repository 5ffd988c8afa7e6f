import type { CustodyTask } from '../app/custodyTasks.ts'
import type { KeyEncryptionOptions } from '../keys/openKeyEncryption.ts'
import type { Reader } from './createReader.ts'
import { settings } from './settings.ts'

/** What wraps the keys of all wallets, and what did before. */
export function readKeyEncryption(reader: Reader): CustodyTask['custody'] | undefined {
  const keyEncryption = readCurrentKeyEncryption(reader)
  return reader.read(
    settings.pick({ LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS: true, LATCHKEY_MODE: true }),
    (values) =>
      keyEncryption && {
        keyEncryption,
        previousKeyEncryption: values.LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS.map((key) => ({ type: 'local', key })),
        mode: values.LATCHKEY_MODE,
      },
  )
}

function readCurrentKeyEncryption(reader: Reader): KeyEncryptionOptions | undefined {
  const type = reader.read(settings.pick({ LATCHKEY_KEY_ENCRYPTION: true }), (values) => values.LATCHKEY_KEY_ENCRYPTION)
  if (type === 'file')
    return reader.read(settings.pick({ LATCHKEY_KEY_ENCRYPTION_PATH: true }), (values) => ({
      type,
      path: values.LATCHKEY_KEY_ENCRYPTION_PATH,
    }))
  if (type === 'vault')
    return reader.read(
      settings.pick({
        LATCHKEY_VAULT_URL: true,
        LATCHKEY_VAULT_TOKEN: true,
        LATCHKEY_VAULT_KEY: true,
        LATCHKEY_VAULT_MOUNT: true,
        LATCHKEY_VAULT_NAMESPACE: true,
      }),
      (values) => ({
        type,
        url: values.LATCHKEY_VAULT_URL,
        token: values.LATCHKEY_VAULT_TOKEN,
        key: values.LATCHKEY_VAULT_KEY,
        mount: values.LATCHKEY_VAULT_MOUNT,
        namespace: values.LATCHKEY_VAULT_NAMESPACE,
      }),
    )
  return reader.read(settings.pick({ LATCHKEY_KEY_ENCRYPTION_KEY: true }), (values) => ({
    type: 'local',
    key: values.LATCHKEY_KEY_ENCRYPTION_KEY,
  }))
}
