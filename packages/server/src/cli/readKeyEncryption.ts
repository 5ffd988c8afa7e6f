import type { z } from 'zod'
import type { KeyEncryptionOptions } from '../keys/openKeyEncryption.ts'
import type { CustodyTask } from '../operations/custodyTasks.ts'
import type { Reader } from './createReader.ts'
import { settings } from './settings.ts'

type Type = z.output<typeof settings>['LATCHKEY_KEY_ENCRYPTION']

/** Reads the current and previous key encryption of all wallets. */
export function readKeyEncryption(reader: Reader): CustodyTask['custody'] | undefined {
  const type = reader.read(settings.pick({ LATCHKEY_KEY_ENCRYPTION: true }), (values) => values.LATCHKEY_KEY_ENCRYPTION)
  const keyEncryption = type && readers[type](reader)
  const service = reader.read(
    settings.pick({ LATCHKEY_KEY_ENCRYPTION_PREVIOUS: true }),
    (values) => values.LATCHKEY_KEY_ENCRYPTION_PREVIOUS,
  )
  const before = service && readers[service](reader)
  return reader.read(
    settings.pick({ LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS: true, LATCHKEY_MODE: true }),
    (values) =>
      keyEncryption && {
        keyEncryption,
        previousKeyEncryption: [
          ...(before ? [before] : []),
          ...values.LATCHKEY_KEY_ENCRYPTION_PREVIOUS_KEYS.map((key) => ({ type: 'local', key }) as const),
        ],
        mode: values.LATCHKEY_MODE,
      },
  )
}

const readers: Record<Type, (reader: Reader) => KeyEncryptionOptions | undefined> = {
  secret: (reader) =>
    reader.read(settings.pick({ LATCHKEY_KEY_ENCRYPTION_KEY: true }), (values) => ({
      type: 'local',
      key: values.LATCHKEY_KEY_ENCRYPTION_KEY,
    })),
  file: (reader) =>
    reader.read(settings.pick({ LATCHKEY_KEY_ENCRYPTION_PATH: true }), (values) => ({
      type: 'file',
      path: values.LATCHKEY_KEY_ENCRYPTION_PATH,
    })),
  vault: (reader) =>
    reader.read(
      settings.pick({
        LATCHKEY_VAULT_URL: true,
        LATCHKEY_VAULT_TOKEN: true,
        LATCHKEY_VAULT_KEY: true,
        LATCHKEY_VAULT_MOUNT: true,
        LATCHKEY_VAULT_NAMESPACE: true,
      }),
      (values) => ({
        type: 'vault',
        url: values.LATCHKEY_VAULT_URL,
        token: values.LATCHKEY_VAULT_TOKEN,
        key: values.LATCHKEY_VAULT_KEY,
        mount: values.LATCHKEY_VAULT_MOUNT,
        namespace: values.LATCHKEY_VAULT_NAMESPACE,
      }),
    ),
  'aws-kms': (reader) =>
    reader.read(
      settings.pick({
        LATCHKEY_AWS_KMS_KEY: true,
        LATCHKEY_AWS_REGION: true,
        LATCHKEY_AWS_ACCESS_KEY_ID: true,
        LATCHKEY_AWS_SECRET_ACCESS_KEY: true,
        LATCHKEY_AWS_SESSION_TOKEN: true,
        LATCHKEY_AWS_KMS_URL: true,
      }),
      (values) => ({
        type: 'aws-kms',
        key: values.LATCHKEY_AWS_KMS_KEY,
        region: values.LATCHKEY_AWS_REGION,
        accessKeyId: values.LATCHKEY_AWS_ACCESS_KEY_ID,
        secretAccessKey: values.LATCHKEY_AWS_SECRET_ACCESS_KEY,
        sessionToken: values.LATCHKEY_AWS_SESSION_TOKEN,
        url: values.LATCHKEY_AWS_KMS_URL,
      }),
    ),
}
