import { randomBytes, randomUUID } from 'node:crypto'
import { bundleSigningPublicKey } from '../keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { writeFolder } from './writeFolder.ts'

export declare namespace createKeys {
  type ReturnType = {
    /** Absolute paths, sorted by name. */
    files: string[]
    /** Contents of the files that are not secret. */
    published: Record<string, string>
  }
}

/**
 * Creates a folder with all keys that a server needs, one file per setting, readable only by its owner. Creates the
 * folder atomically, and refuses one that is not empty.
 *
 * @throws `CONFIG_INVALID`.
 */
export function createKeys(folder: string): createKeys.ReturnType {
  const { secrets, published } = makeKeys()
  const all = Object.entries({ ...secrets, ...published })
  const files = writeFolder(folder, Object.fromEntries(all.map(([name, value]) => [name, `${value}\n`])))
  return { files: files.sort(), published }
}

/** Returns new values of all settings that are keys. */
export function makeKeys() {
  const [bundles, root] = [createApiKeyPair(), createApiKeyPair()]
  return {
    secrets: {
      LATCHKEY_KEY_ENCRYPTION_KEY: secret(),
      LATCHKEY_MAIL_SEAL_KEY: secret(),
      LATCHKEY_BUNDLE_SIGNING_KEY: bundles.privateKey,
      LATCHKEY_ROOT_API_PRIVATE_KEY: root.privateKey,
      // A valid secp256k1 scalar, except with probability 2^-128.
      LATCHKEY_PAYMASTER_KEY: secret(),
      LATCHKEY_WEBHOOK_KEY: secret(),
      LATCHKEY_OPERATOR_KEY: secret(),
    },
    published: {
      LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
      LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY: bundleSigningPublicKey(bundles.privateKey),
      LATCHKEY_ROOT_API_PUBLIC_KEY: root.publicKey,
    },
  }
}

function secret(): string {
  return randomBytes(32).toString('hex')
}
