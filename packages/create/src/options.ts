import { basename, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { CreateError } from './CreateError.ts'

export const templates = {
  vite: 'React with Vite',
  next: 'React with Next.js',
} as const

export type Template = keyof typeof templates

export const usage = `Usage: npm create latchkey [folder] -- [options]

Creates an app with an embedded smart-account wallet and starts it with the devnet.

  --template NAME  ${Object.entries(templates)
    .map(([name, what]) => `${name} (${what})`)
    .join(' or ')} (default: vite, after a prompt)
  --yes            ask nothing: use the defaults, install and start
  --no-start       write the files and stop
  --json           print one JSON line about the app; do not start it
  --version        print the version
  --help           print this help`

export type Options = {
  help: boolean
  json: boolean
  yes: boolean
  /** Whether to start the app; undefined asks the user. */
  start: boolean | undefined
  folder: string | undefined
  template: Template | undefined
}

/**
 * Parses the command line.
 *
 * @throws `CONFIG_INVALID` with the problem and a fix.
 */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = parse(args)
  if (positionals.length > 1) throw invalid(`One folder, not ${positionals.length}: ${positionals.join(', ')}.`)
  const template = values.template
  if (template !== undefined && !isTemplate(template))
    throw invalid(`There is no template "${template}": choose ${Object.keys(templates).join(' or ')}.`)
  const stops = values['no-start'] === true || values.json === true
  return {
    help: values.help ?? false,
    json: values.json ?? false,
    yes: values.yes ?? false,
    start: stops ? false : values.yes,
    folder: positionals[0],
    template,
  }
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], strict: true, allowPositionals: true, options })
  } catch (cause) {
    const message = (cause as Error).message.split('. ')[0] ?? 'An option is not known.'
    throw invalid(`${message}${suggestOption(message)}`, cause)
  }
}

const options = {
  help: { type: 'boolean', short: 'h' },
  json: { type: 'boolean' },
  yes: { type: 'boolean', short: 'y' },
  'no-start': { type: 'boolean' },
  template: { type: 'string', short: 't' },
} as const

/** Suggests the option with the same first two letters, which are different for each option. */
function suggestOption(message: string): string {
  const start = /^Unknown option '--(..)/.exec(message)?.[1]
  const found = [...Object.keys(options), 'version'].find((name) => name.slice(0, 2) === start)
  return found === undefined ? '' : `. Did you mean --${found}?`
}

export const isTemplate = (name: string): name is Template => Object.hasOwn(templates, name)

/**
 * Returns the name of the app's package: the name of its folder.
 * @throws `CONFIG_INVALID` if npm does not allow the name.
 */
export function toPackageName(folder: string): string {
  const name = basename(resolve(folder)).trim().toLowerCase().replace(/\s+/g, '-')
  if (/^[a-z\d~-][a-z\d._~-]{0,213}$/.test(name) && name !== 'node_modules') return name
  throw invalid(
    `"${basename(resolve(folder))}" cannot be the name of a package: letters of a to z, digits, dots and dashes are allowed. Choose another folder.`,
  )
}

export function invalid(message: string, cause?: unknown): CreateError {
  return new CreateError(message, { code: 'CONFIG_INVALID', cause })
}
