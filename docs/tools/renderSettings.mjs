import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../../scripts/lib/run.mjs'
import { cell } from './renderNames.mjs'

const main = join(root, 'packages/server/dist/cli/main.js')

const role = 'custody|signer-api|mail|gateway|webhooks|frames|admin|console|doctor'
/** Format of a setting's text: the roles that read the setting, optionally when they read it, and a description. */
const form = new RegExp(`^(?:((?:${role})(?:(?:,| and) (?:${role}))*)(?:, ([^:]*))?: )?(.*)$`)

/** Renders the settings that `latchkey-server --help` of the built package prints, grouped by role. */
export function renderSettings() {
  const help = execFileSync(process.execPath, [main, '--help'], { encoding: 'utf8' })
  const settings = [...help.matchAll(/^ {2}([A-Z][A-Z0-9_]+) +(\S.*)$/gm)].map(([, name, text]) => {
    const [, role = 'all roles', more, rest] = form.exec(text)
    return { name, role, text: more ? `${more}: ${rest}` : rest }
  })
  const groups = [...new Set(settings.map(({ role }) => role))]
  return [
    '# Environment variables',
    '',
    'Settings of `latchkey-server`, from `latchkey-server --help`. Each can come from a file: `NAME_FILE` names one with the value of `NAME`.',
    '',
    'A command that `latchkey-dev` runs beside the devnet, such as `latchkey-dev -- vite`, gets the address of the devnet as `LATCHKEY_URL`, `VITE_LATCHKEY_URL` and `NEXT_PUBLIC_LATCHKEY_URL`.',
    ...groups.flatMap((role) => renderGroup(role, settings)),
  ]
}

function renderGroup(role, settings) {
  const title = role[0].toUpperCase() + role.slice(1)
  const rows = settings
    .filter((setting) => setting.role === role)
    .map(({ name, text }) => `| \`${name}\` | ${cell(text)} |`)
  return ['', `## ${title}`, '', '| name | value |', '|---|---|', ...rows]
}
