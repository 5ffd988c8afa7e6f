import type { z } from 'zod'
import type { KeyEncryptionOptions } from '../keys/openKeyEncryption.ts'
import type { vaultKeyEncryption } from '../keys/vaultKeyEncryption.ts'
import type { CustodyTask } from '../operations/custodyTasks.ts'
import type { Reader } from './createReader.ts'
import { settings } from './settings.ts'

type Type = z.output<typeof settings>['LATCHKEY_KEY_ENCRYPTION']

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

type VaultAccess = Pick<vaultKeyEncryption.Options, 'token' | 'login'>
type VaultAuth = z.output<typeof settings>['LATCHKEY_VAULT_AUTH']

const vaultAccess: Record<VaultAuth, (reader: Reader) => VaultAccess | undefined> = {
  token: (reader) =>
    reader.read(settings.pick({ LATCHKEY_VAULT_TOKEN: true }), (values) => ({ token: values.LATCHKEY_VAULT_TOKEN })),
  approle: (reader) =>
    reader.read(
      settings.pick({ LATCHKEY_VAULT_ROLE_ID: true, LATCHKEY_VAULT_SECRET_ID: true, LATCHKEY_VAULT_AUTH_MOUNT: true }),
      (values) => ({
        login: {
          method: 'approle',
          roleId: values.LATCHKEY_VAULT_ROLE_ID,
          secretId: values.LATCHKEY_VAULT_SECRET_ID,
          mount: values.LATCHKEY_VAULT_AUTH_MOUNT,
        },
      }),
    ),
  kubernetes: (reader) =>
    reader.read(
      settings.pick({ LATCHKEY_VAULT_ROLE: true, LATCHKEY_VAULT_JWT_PATH: true, LATCHKEY_VAULT_AUTH_MOUNT: true }),
      (values) => ({
        login: {
          method: 'kubernetes',
          role: values.LATCHKEY_VAULT_ROLE,
          jwtPath: values.LATCHKEY_VAULT_JWT_PATH,
          mount: values.LATCHKEY_VAULT_AUTH_MOUNT,
        },
      }),
    ),
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
  vault(reader) {
    const method = reader.read(settings.pick({ LATCHKEY_VAULT_AUTH: true }), (values) => values.LATCHKEY_VAULT_AUTH)
    const access = method && vaultAccess[method](reader)
    return reader.read(
      settings.pick({
        LATCHKEY_VAULT_URL: true,
        LATCHKEY_VAULT_KEY: true,
        LATCHKEY_VAULT_MOUNT: true,
        LATCHKEY_VAULT_NAMESPACE: true,
      }),
      (values) =>
        access && {
          type: 'vault',
          url: values.LATCHKEY_VAULT_URL,
          ...access,
          key: values.LATCHKEY_VAULT_KEY,
          mount: values.LATCHKEY_VAULT_MOUNT,
          namespace: values.LATCHKEY_VAULT_NAMESPACE,
        },
    )
  },
  'gcp-kms': (reader) =>
    reader.read(settings.pick({ LATCHKEY_GCP_KMS_KEY: true, LATCHKEY_GCP_KMS_URL: true }), (values) => ({
      type: 'gcp-kms',
      key: values.LATCHKEY_GCP_KMS_KEY,
      url: values.LATCHKEY_GCP_KMS_URL,
    })),
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
