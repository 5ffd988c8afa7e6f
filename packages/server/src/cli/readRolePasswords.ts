import { type DatabaseRole, databaseRoles } from '../platform/database/grants.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'
import { createReader, type Environment } from './createReader.ts'
import type { settings } from './settings.ts'

/** Setting of each role's own database URL. */
const urlSettings = {
  custody: 'LATCHKEY_CUSTODY_DATABASE_URL',
  'signer-api': 'LATCHKEY_SIGNER_API_DATABASE_URL',
  mail: 'LATCHKEY_MAIL_DATABASE_URL',
  gateway: 'LATCHKEY_GATEWAY_DATABASE_URL',
  webhooks: 'LATCHKEY_WEBHOOKS_DATABASE_URL',
  admin: 'LATCHKEY_ADMIN_DATABASE_URL',
} as const satisfies Partial<Record<DatabaseRole, keyof typeof settings.shape>>

export const rolesWithUrl = Object.keys(urlSettings) as (keyof typeof urlSettings)[]

/** Returns the setting of a role's own database URL. */
export function urlSettingOf(role: keyof typeof urlSettings): string {
  return urlSettings[role]
}

/**
 * Returns the passwords in the roles' own database URLs.
 *
 * @throws `CONFIG_INVALID` for a URL with another user or without a password, and if there is none.
 */
export function readRolePasswords(environment: Environment): Partial<Record<DatabaseRole, string>> {
  const reader = createReader(environment)
  const passwords: Partial<Record<DatabaseRole, string>> = {}
  for (const role of rolesWithUrl) {
    const text = reader.readText(urlSettings[role])
    if (text === undefined) continue
    const { username, password = '' } = parseUrl(text) ?? {}
    if (username !== databaseRoles[role] || password === '')
      reader.report(`${urlSettings[role]} must be a URL with the user ${databaseRoles[role]} and a password`)
    else passwords[role] = decodeURIComponent(password)
  }
  if (Object.keys(passwords).length === 0)
    reader.report(`${Object.values(urlSettings).join(', ')}: set at least one, whose password its user gets`)
  return reader.settle(passwords)
}
