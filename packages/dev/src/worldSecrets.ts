import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DevError } from './errors.ts'

type Hex32 = `0x${string}`

/** Keys of one world. They guard toys only, yet are made like real ones and never leave their file. */
export type WorldSecrets = {
  databasePassword: string
  /** UUID of the organization above all sub-organizations. */
  rootOrganizationId: string
  /** P-256, hex without prefix: compressed point and scalar. The signer API signs with it. */
  rootApiKey: { publicKey: string; privateKey: string }
  keyEncryptionKey: Hex32
  mailSealKey: Hex32
  /** What pages send as `Authorization: Bearer`. Not a secret of the same weight: it is in the example's config. */
  apiKey: string
}

/** Reads `<dataDir>/secrets.json` (mode 0600), making it the first time. */
export function worldSecrets(dataDir: string): WorldSecrets {
  const path = join(dataDir, 'secrets.json')
  const found = read(path)
  if (found) return found
  const secrets = create()
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, path)
  return secrets
}

function read(path: string): WorldSecrets | undefined {
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
  throw new DevError(`${path} is damaged; without it the data beside it cannot be opened.`, {
    code: 'CONFIG_INVALID',
    hint: 'Restore it, or forget the world with --fresh.',
  })
}

function parse(text: string): WorldSecrets | undefined {
  try {
    const value = JSON.parse(text) as WorldSecrets
    const complete =
      [value.databasePassword, value.rootOrganizationId, value.apiKey].every((part) => typeof part === 'string') &&
      [value.keyEncryptionKey, value.mailSealKey].every((key) => /^0x[0-9a-f]{64}$/.test(key)) &&
      /^0[23][0-9a-f]{64}$/.test(value.rootApiKey.publicKey) &&
      /^[0-9a-f]{64}$/.test(value.rootApiKey.privateKey)
    return complete ? value : undefined
  } catch {
    return undefined
  }
}

function create(): WorldSecrets {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  return {
    databasePassword: randomBytes(24).toString('base64url'),
    rootOrganizationId: randomUUID(),
    rootApiKey: {
      publicKey: ecdh.getPublicKey('hex', 'compressed'),
      privateKey: ecdh.getPrivateKey('hex').padStart(64, '0'),
    },
    keyEncryptionKey: key(),
    mailSealKey: key(),
    apiKey: `lk_dev_${randomBytes(18).toString('base64url')}`,
  }
}

function key(): Hex32 {
  return `0x${randomBytes(32).toString('hex')}`
}
