import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { type DatabaseRole, databaseRoles } from '../../platform/database/grants.ts'
import { isThisMachine } from '../../platform/http/fetchBounded.ts'
import { makeKeys } from '../createKeys.ts'
import type { Target } from './context.ts'
import type { Answers } from './questions.ts'
import { listedRoles } from './roles.ts'

export declare namespace makePlan {
  type Parameters = {
    target: Target
    answers: Answers
    /** Absolute path of the folder to write. */
    out: string
    /** Name of the app, shown in e-mails. */
    name: string
    /** Origins of the app's pages. */
    origins: string[]
    /** Public address of the proxy, if known. */
    address?: string | undefined
  }
}

/** All values in the files of `init`, including the new secrets. */
export type Plan = ReturnType<typeof makePlan>

export function makePlan({ target, answers, out, name, origins, address }: makePlan.Parameters) {
  const { domain, smtp, chain, keys: keyService } = answers
  const keys = makeKeys()
  const owner = readOwner(target, answers.database)
  const users = listedRoles.flatMap(([role, { hasDatabase }]) => (hasDatabase ? [makeUser(role, owner.url)] : []))
  const isMailLocal = isThisMachine(new URL(smtp).hostname)
  return {
    target,
    out,
    name,
    origins,
    address,
    domain,
    chain,
    keyService,
    keys,
    isMailLocal,
    owner,
    /** DKIM key of a mail server on this machine. Other mail servers have their own keys. */
    dkim: isMailLocal ? makeDkim() : undefined,
    apiKey: `lk_${randomBytes(32).toString('base64url')}`,
    /** Contents of all secret files by name. */
    secrets: {
      ...keys.secrets,
      ...keys.published,
      ...keyService.secrets,
      ...Object.fromEntries(users.map(({ file, url }) => [file, url])),
      'owner-database-url': owner.url,
      'smtp-url': smtp,
    } as Readonly<Record<string, string>>,
  }
}

/** Returns the database URL of the tables' owner, and a new password if the database does not exist yet. */
function readOwner(target: Target, database: string): { url: string; password?: string } {
  if (database !== 'local') return { url: database }
  const password = makePassword()
  const url =
    target === 'compose'
      ? `postgres://postgres:${password}@postgres:5432/latchkey?sslmode=disable`
      : `postgres://latchkey:${password}@localhost:5432/latchkey`
  return { url, password }
}

function makeUser(role: string, ownerUrl: string) {
  const url = new URL(ownerUrl)
  url.username = databaseRoles[role as DatabaseRole]
  url.password = makePassword()
  return { file: `${role}-database-url`, url: url.href }
}

/** Returns a password that needs no escaping in URLs or SQL. */
function makePassword(): string {
  return randomBytes(24).toString('base64url')
}

/** RFC 8301 § 3.2: verifiers need not support RSA keys longer than 2048 bits. */
function makeDkim() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return {
    selector: 'latchkey',
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
  }
}
