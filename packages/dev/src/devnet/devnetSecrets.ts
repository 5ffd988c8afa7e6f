import { createECDH, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DevError } from '../errors.ts'

type Hex32 = `0x${string}`

/** Keys of one devnet, stored in its folder. They protect only test data, but are generated like production keys. */
export type DevnetSecrets = {
  databasePassword: string
  /** UUID of the parent organization of all sub-organizations. */
  rootOrganizationId: string
  /** Key pair of the signer API (P-256): compressed point and scalar in hex without prefix. */
  rootApiKey: { publicKey: string; privateKey: string }
  keyEncryptionKey: Hex32
  mailSealKey: Hex32
  /** P-256 scalar with which custody signs export bundles. The export frame verifies them with the public key. */
  bundleSigningKey: Hex32
  /** Key with which the admin API authenticates operators' keys. */
  operatorKey: Hex32
  /** Key of the devnet's own operator. */
  operatorSecret: string
}

/** Reads `<dataDir>/secrets.json` (mode 0600), creating it the first time. */
export function devnetSecrets(dataDir: string): DevnetSecrets {
  const path = join(dataDir, 'secrets.json')
  const found = read(path)
  if (found?.bundleSigningKey && found.operatorKey && found.operatorSecret) return found as DevnetSecrets
  // Adds keys that a file of an older version lacks.
  const secrets = { ...create(), ...found }
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
  return secrets
}

/** Returns the secret of a devnet's webhooks: `whsec_` and 32 bytes in base64. */
export function devnetWebhookSecret({ databasePassword }: DevnetSecrets): string {
  return `whsec_${createHmac('sha256', databasePassword).update('webhooks').digest('base64')}`
}

/** Keys that files of older versions lack. */
type Newer = 'bundleSigningKey' | 'operatorKey' | 'operatorSecret'
type Found = Omit<DevnetSecrets, Newer> & Partial<Pick<DevnetSecrets, Newer>>

function read(path: string): Found | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new DevError(`${path} cannot be read.`, { code: 'CONFIG_INVALID', cause: error })
  }
  chmodSync(path, 0o600)
  const secrets = parse(text)
  if (secrets) return secrets
  throw new DevError(`${path} is damaged; without it, the data next to it cannot be opened.`, {
    code: 'CONFIG_INVALID',
    hint: 'Restore it, or delete the devnet with --fresh.',
  })
}

function parse(text: string): Found | undefined {
  try {
    const value = JSON.parse(text) as Found
    const complete =
      [value.databasePassword, value.rootOrganizationId].every((part) => typeof part === 'string') &&
      [value.keyEncryptionKey, value.mailSealKey, value.bundleSigningKey ?? key(), value.operatorKey ?? key()].every(
        (hex) => /^0x[0-9a-f]{64}$/.test(hex),
      ) &&
      /^0[23][0-9a-f]{64}$/.test(value.rootApiKey.publicKey) &&
      /^[0-9a-f]{64}$/.test(value.rootApiKey.privateKey)
    return complete ? value : undefined
  } catch {
    return undefined
  }
}

function create(): DevnetSecrets {
  const rootApiKey = newKeyPair()
  return {
    databasePassword: randomBytes(24).toString('base64url'),
    rootOrganizationId: randomUUID(),
    rootApiKey,
    keyEncryptionKey: key(),
    mailSealKey: key(),
    bundleSigningKey: `0x${newKeyPair().privateKey}`,
    operatorKey: key(),
    operatorSecret: `lko_dev_${randomBytes(32).toString('base64url')}`,
  }
}

function newKeyPair(): { publicKey: string; privateKey: string } {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  return {
    publicKey: ecdh.getPublicKey('hex', 'compressed'),
    privateKey: ecdh.getPrivateKey('hex').padStart(64, '0'),
  }
}

/** Returns the public key of a P-256 scalar as an uncompressed point: 130 hex digits. */
export function derivePublicKey(privateKey: Hex32): string {
  const ecdh = createECDH('prime256v1')
  ecdh.setPrivateKey(privateKey.slice(2), 'hex')
  return ecdh.getPublicKey('hex', 'uncompressed')
}

function key(): Hex32 {
  return `0x${randomBytes(32).toString('hex')}`
}
