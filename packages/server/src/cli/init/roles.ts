import type { makeKeys } from '../createKeys.ts'

type Keys = ReturnType<typeof makeKeys>
type KeyName = keyof Keys['secrets'] | keyof Keys['published']

export type RoleEntry = {
  /** First label of the role's public host; undefined for a role that accepts no connections. */
  host?: string
  /** Port on a machine that runs every role. */
  port: number
  hasDatabase?: true
  /** Maximum size of a request body at the proxy. */
  maxBody?: '64k' | '1m'
  /** Whether only operators can reach the role. */
  isInternal?: true
  /** Keys that the role reads, each from a file. */
  keys: readonly KeyName[]
}

/** The processes of a server, in start order. The ports match deploy/compose.yaml. */
export const roleEntries = {
  mail: { port: 8109, hasDatabase: true, keys: ['LATCHKEY_MAIL_SEAL_KEY'] },
  custody: {
    host: 'custody',
    port: 8101,
    hasDatabase: true,
    maxBody: '64k',
    keys: ['LATCHKEY_MAIL_SEAL_KEY', 'LATCHKEY_BUNDLE_SIGNING_KEY', 'LATCHKEY_ROOT_API_PUBLIC_KEY'],
  },
  'signer-api': {
    host: 'signer',
    port: 8102,
    hasDatabase: true,
    maxBody: '64k',
    keys: ['LATCHKEY_ROOT_API_PUBLIC_KEY', 'LATCHKEY_ROOT_API_PRIVATE_KEY'],
  },
  gateway: {
    host: 'gateway',
    port: 8103,
    hasDatabase: true,
    maxBody: '1m',
    keys: ['LATCHKEY_PAYMASTER_KEY', 'LATCHKEY_WEBHOOK_KEY'],
  },
  webhooks: { port: 8110, hasDatabase: true, keys: [] },
  'auth-frame': { host: 'keys', port: 8104, maxBody: '64k', keys: ['LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY'] },
  'export-frame': { host: 'export', port: 8105, maxBody: '64k', keys: ['LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY'] },
  'import-frame': { host: 'import', port: 8106, maxBody: '64k', keys: ['LATCHKEY_BUNDLE_SIGNING_PUBLIC_KEY'] },
  admin: {
    host: 'admin',
    port: 8107,
    hasDatabase: true,
    maxBody: '64k',
    isInternal: true,
    keys: ['LATCHKEY_OPERATOR_KEY'],
  },
  console: { host: 'console', port: 8108, maxBody: '64k', isInternal: true, keys: [] },
} as const satisfies Record<string, RoleEntry>

export type RoleName = keyof typeof roleEntries

/** All entries, widened to the type `RoleEntry`. */
export const listedRoles = Object.entries(roleEntries) as [RoleName, RoleEntry][]

/** Roles of a first start. Excludes roles for operators. */
export const firstRoles = listedRoles.filter(([, { isInternal }]) => !isInternal).map(([name]) => name)

/** Returns a role's public host. */
export function hostOf(role: RoleName, domain: string): string {
  const { host }: RoleEntry = roleEntries[role]
  return `${host}.${domain}`
}
