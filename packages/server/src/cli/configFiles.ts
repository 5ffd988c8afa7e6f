import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { webhookSecretName } from '../store/webhookEndpoints.ts'
import type { Environment } from './createReader.ts'
import { settings } from './settings.ts'

/** Settings whose changed files a running server reloads. Other settings need a restart. */
const reloaded: readonly string[] = [
  'LATCHKEY_PROJECTS_FILE',
  'LATCHKEY_POLICIES_FILE',
  'LATCHKEY_JWT_ISSUERS_FILE',
  'LATCHKEY_OPERATORS_FILE',
]

export function isReloaded(name: string): boolean {
  return reloaded.includes(name) || webhookSecretName.test(name)
}

/**
 * Settings whose value is the path of a JSON file. Here the suffix `_FILE` does not mean that the file contains a
 * setting's value.
 */
const jsonFiles = new Set([...reloaded, 'LATCHKEY_CHAINS_FILE'])

/**
 * Returns the hex SHA-256 of each configuration file by setting name, or `missing` for an unreadable file. Hashes
 * contents, since Kubernetes updates a mounted folder by changing a symbolic link.
 */
export function hashConfigFiles(environment: Environment): ReadonlyMap<string, string> {
  return new Map([...listFiles(environment)].map(([name, path]) => [name, hashFile(path)]))
}

function listFiles(environment: Environment): Map<string, string> {
  const files = new Map<string, string>()
  const names = [...Object.keys(settings.shape), ...listWebhookSecrets(environment)]
  for (const name of names) {
    const direct = environment[name]?.trim()
    const file = environment[`${name}_FILE`]?.trim()
    if (direct && jsonFiles.has(name)) files.set(name, direct)
    else if (!direct && file) files.set(name, file)
  }
  return files
}

function listWebhookSecrets(environment: Environment): string[] {
  return Object.keys(environment)
    .map((name) => name.replace(/_FILE$/, ''))
    .filter((name) => webhookSecretName.test(name))
}

function hashFile(path: string): string {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch {
    return 'missing'
  }
}
