import { rolesWithUrl, urlSettingOf } from '../readRolePasswords.ts'
import type { Plan } from './plan.ts'
import { hostOf, listedRoles, type RoleName, roleEntries } from './roles.ts'

/** Locations of a role's files. */
export type Places = {
  secret(role: RoleName, file: string): string
  config(file: string): string
  hasOwnPorts: boolean
}

/** Returns the environment files of all roles by path. */
export function environmentFiles(plan: Plan, places: Places): Record<string, string> {
  const own = listedRoles.map(([role]) => [`env/${role}.env`, format(roleSettings(role, plan, places))])
  return { 'env/common.env': format(commonSettings(plan, places)), ...Object.fromEntries(own) }
}

/** Returns the contents of a role's secret files by file name. */
export function roleSecrets(role: RoleName, plan: Plan): Record<string, string> {
  return Object.fromEntries(Object.values(secretsOf(role, plan)).map((file) => [file, plan.secrets[file] ?? '']))
}

/** Returns the settings of `migrate` and `grants`: the URLs of the tables' owner and of each role's user. */
export function ownerSettings(place: (role: RoleName | 'owner', file: string) => string): Record<string, string> {
  const urls = rolesWithUrl.map((role) => [`${urlSettingOf(role)}_FILE`, place(role, `${role}-database-url`)])
  return { DATABASE_URL_FILE: place('owner', 'owner-database-url'), ...Object.fromEntries(urls) }
}

export function format(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

function commonSettings({ keys, domain }: Plan, { config }: Places): Record<string, string> {
  const url = (role: RoleName) => `https://${hostOf(role, domain)}`
  return {
    LATCHKEY_ROOT_ORGANIZATION_ID: keys.published.LATCHKEY_ROOT_ORGANIZATION_ID,
    LATCHKEY_PROJECTS_FILE: config('projects.json'),
    LATCHKEY_CUSTODY_URL: url('custody'),
    LATCHKEY_AUTH_FRAME_URL: url('auth-frame'),
    LATCHKEY_EXPORT_FRAME_URL: url('export-frame'),
    LATCHKEY_IMPORT_FRAME_URL: url('import-frame'),
    LATCHKEY_GATEWAY_URL: url('gateway'),
    LATCHKEY_ALLOWED_HOSTS: `${hostOf('signer-api', domain)},${hostOf('gateway', domain)}`,
    LATCHKEY_TRUSTED_PROXIES: '1',
  }
}

function roleSettings(role: RoleName, plan: Plan, places: Places): Record<string, string> {
  const files = Object.entries(secretsOf(role, plan)).map(([name, file]) => [`${name}_FILE`, places.secret(role, file)])
  const port = listedRoles.find(([name]) => name === role)?.[1].port
  return {
    LATCHKEY_ROLES: role.endsWith('-frame') ? 'frames' : role,
    ...(places.hasOwnPorts && { LATCHKEY_PORT: String(port) }),
    ...Object.fromEntries(files),
    ...more[role]?.(plan, places),
  }
}

/** Returns the secret file of each of a role's settings, by setting. */
function secretsOf(role: RoleName, { keyService }: Plan): Record<string, string> {
  const entry = listedRoles.find(([name]) => name === role)?.[1]
  const kept = [...(entry?.keys ?? []), ...(role === 'custody' ? custodyKeys(keyService) : [])]
  return {
    ...(entry?.hasDatabase && { DATABASE_URL: `${role}-database-url` }),
    ...(role === 'mail' && { LATCHKEY_SMTP_URL: 'smtp-url' }),
    ...Object.fromEntries(kept.map((name) => [name, name])),
  }
}

function custodyKeys({ isKeyFile, secrets }: Plan['keyService']): string[] {
  return [...(isKeyFile ? ['LATCHKEY_KEY_ENCRYPTION_KEY'] : []), ...Object.keys(secrets)]
}

const operators = ({ domain }: Plan, { config }: Places) => ({
  LATCHKEY_CONSOLE_URL: `https://${hostOf('console', domain)}`,
  LATCHKEY_OPERATORS_FILE: config('operators.json'),
})

/** Roles on the same machine call custody without the proxy. */
const custodyHere: Record<string, string> = {
  LATCHKEY_CUSTODY_INTERNAL_URL: `http://127.0.0.1:${roleEntries.custody.port}`,
}

/** Settings by role, without secrets. */
const more: Partial<Record<RoleName, (plan: Plan, places: Places) => Record<string, string>>> = {
  custody: (plan, places) => ({ ...plan.keyService.settings, ...operators(plan, places) }),
  'signer-api': (_, { hasOwnPorts }) => (hasOwnPorts ? custodyHere : {}),
  mail: ({ name, domain, dkim }) => ({
    LATCHKEY_MAIL_FROM: `${name} <no-reply@${domain}>`,
    ...(dkim && { LATCHKEY_DKIM_SELECTORS: dkim.selector }),
  }),
  gateway: (_, { config }) => ({
    LATCHKEY_CHAINS_FILE: config('chains.json'),
    LATCHKEY_POLICIES_FILE: config('policies.json'),
  }),
  'auth-frame': () => ({ LATCHKEY_FRAMES_PAGE: 'auth' }),
  'export-frame': () => ({ LATCHKEY_FRAMES_PAGE: 'export' }),
  'import-frame': () => ({ LATCHKEY_FRAMES_PAGE: 'import' }),
  admin: (plan, places) => ({
    ...operators(plan, places),
    LATCHKEY_ALLOWED_HOSTS: hostOf('admin', plan.domain),
    ...(places.hasOwnPorts
      ? custodyHere
      : // The console forwards visitors' addresses through the proxy, so it counts as a second proxy.
        { LATCHKEY_TRUSTED_PROXIES: '2' }),
  }),
  console: ({ domain }, { hasOwnPorts }) => ({
    LATCHKEY_CONSOLE_URL: `https://${hostOf('console', domain)}`,
    LATCHKEY_ADMIN_URL: hasOwnPorts
      ? `http://127.0.0.1:${roleEntries.admin.port}`
      : `https://${hostOf('admin', domain)}`,
  }),
}
