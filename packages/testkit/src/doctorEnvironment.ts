import { randomBytes, randomUUID } from 'node:crypto'
import type { DnsRecords } from './dns.ts'
import { asRole } from './run/databaseServer.ts'
import type { TestVault } from './vault.ts'

/** Returns the settings of a server with all roles except the frames, on hosts below shop.test. */
export function doctorEnvironment(parts: {
  databaseUrl: string
  projects: string
  at(host: string): string
  vault: Pick<TestVault, 'url' | 'token' | 'key'>
  rpcUrl: string
  signingKey: string
  rootKey: { publicKey: string; privateKey: string }
}): Record<string, string> {
  const { databaseUrl, projects, at, vault, rpcUrl, signingKey, rootKey } = parts
  const role = (name: Parameters<typeof asRole>[1]) => asRole(databaseUrl, name)
  return {
    LATCHKEY_ROLES: 'custody,signer-api,mail,gateway,admin',
    DATABASE_URL: databaseUrl,
    LATCHKEY_SIGNER_API_DATABASE_URL: role('signer-api'),
    LATCHKEY_MAIL_DATABASE_URL: role('mail'),
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_PROJECTS_FILE: projects,
    LATCHKEY_CUSTODY_URL: at('custody.shop.test'),
    LATCHKEY_AUTH_FRAME_URL: at('auth.shop.test'),
    LATCHKEY_EXPORT_FRAME_URL: at('export.shop.test'),
    LATCHKEY_IMPORT_FRAME_URL: at('import.shop.test'),
    LATCHKEY_KEY_ENCRYPTION: 'vault',
    LATCHKEY_VAULT_URL: vault.url,
    LATCHKEY_VAULT_TOKEN: vault.token,
    LATCHKEY_VAULT_KEY: vault.key,
    LATCHKEY_BUNDLE_SIGNING_KEY: signingKey,
    LATCHKEY_MAIL_SEAL_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_ROOT_API_PUBLIC_KEY: rootKey.publicKey,
    LATCHKEY_ROOT_API_PRIVATE_KEY: rootKey.privateKey,
    LATCHKEY_MAIL_FROM: 'Shop <hello@shop.test>',
    LATCHKEY_NODE_URL: rpcUrl,
    LATCHKEY_BUNDLER_URL: rpcUrl,
    LATCHKEY_CHAIN_ID: '31337',
    LATCHKEY_PAYMASTER_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_OPERATOR_KEY: randomBytes(32).toString('hex'),
  }
}

const here = { a: ['127.0.0.1'] }

/** DNS records of the server's hosts, and mail settings of its sender's domain. */
export const doctorRecords: Record<string, DnsRecords> = {
  'shop.test': { ...here, txt: ['v=spf1 include:mail.example -all', 'unrelated'] },
  'www.shop.test': here,
  'custody.shop.test': here,
  'auth.shop.test': here,
  'export.shop.test': here,
  'import.shop.test': here,
  'shop.example': here,
  'auth.shop.example': here,
  'one._domainkey.shop.test': { txt: [`v=DKIM1; k=rsa; p=${'A'.repeat(360)}`] },
  '_dmarc.shop.test': { txt: ['v=DMARC1; p=quarantine'] },
}
