import { randomBytes, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { bundleSigningPublicKey } from '../keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'

export declare namespace createKeys {
  type ReturnType = {
    /** Absolute paths, sorted by name. */
    files: string[]
    /** Contents of the files that are not secret. */
    published: Record<string, string>
  }
}

/**
 * Creates all keys that a server needs: a folder with a file per setting, readable only by its owner. Creates it
 * atomically, and refuses a folder that is not empty.
 *
 * @throws `CONFIG_INVALID`.
 */
export function createKeys(folder: string): createKeys.ReturnType {
  const path = resolve(folder)
  const { secrets, published } = makeKeys()
  const all = Object.entries({ ...secrets, ...published })
  let draft: string | undefined
  try {
    mkdirSync(dirname(path), { recursive: true })
    // Created with mode 0700 in the parent folder. The final rename fails if the target is not empty.
    draft = mkdtempSync(join(dirname(path), `.${basename(path)}-`))
    for (const [name, value] of all)
      writeFileSync(join(draft, name), `${value}\n`, { mode: 0o600, flag: 'wx', flush: true })
    renameSync(draft, path)
  } catch (cause) {
    if (draft) rmSync(draft, { recursive: true, force: true })
    const { code } = cause as NodeJS.ErrnoException
    const reason = isTaken(code) ? 'exists and is not empty: name a new one' : `cannot be made (${code})`
    throw configInvalid(`The folder ${folder} ${reason}. Nothing was written.`, cause)
  }
  return { files: all.map(([name]) => join(path, name)).sort(), published }
}

function isTaken(code: string | undefined): boolean {
  return code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR'
}

function makeKeys() {
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
