import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { changeJsonFile, formatJsonFile } from './changeJsonFile.ts'
import type { Call, Command, CommandOptions, Outcome } from './command.ts'
import { createReader } from './createReader.ts'
import { findProjectProblems } from './findProjectProblems.ts'
import { type ProjectEntry, readProjectsFile, readProjectsPath } from './projectsFile.ts'
import { settings } from './settings.ts'

/** Manages the projects in LATCHKEY_PROJECTS_FILE. Needs no database and no key. */
export const projectCommands = {
  'projects list': {
    does: 'list the projects in LATCHKEY_PROJECTS_FILE, one per line, with the first characters of their API keys',
    run: ({ environment }) => list(readProjectsFile(readProjectsPath(environment))),
  },
  'projects show': {
    takes: 'ID',
    does: 'print a project as JSON, with the first characters of its API key',
    operands: [1, 1],
    run({ environment, operands }) {
      const project = withoutKey(find(readProjectsFile(readProjectsPath(environment)), operands[0]))
      return { text: JSON.stringify(project, null, 2), result: { project } }
    },
  },
  'projects add': {
    takes: 'ID --name NAME --origins URL,URL [--redirects URL,URL] [--organization UUID] [--logo URL] [--write]',
    does: 'print the projects file with a new project and API key. --write changes the file itself and prints the key once. --redirects lists the pages to which links in emails may lead (default: the home pages of the origins)',
    options: ['name', 'origins', 'redirects', 'organization', 'logo', 'write'],
    operands: [1, 1],
    run: (call) => change(call, add),
  },
  'projects rotate': {
    takes: 'ID [--write]',
    does: 'print the projects file with a new API key for a project. --write changes the file itself and prints the key once. The old key stops working when a server starts with the new file; to have two keys at a time, create project keys with the admin API',
    options: ['write'],
    operands: [1, 1],
    run: (call) => change(call, rotate),
  },
  'projects check': {
    does: 'check the projects file for invalid values, unknown members, and duplicate ids and keys; also for what production refuses, unless LATCHKEY_MODE is development',
    run({ environment }) {
      const path = readProjectsPath(environment)
      const projects = readProjectsFile(path)
      const problems = findProjectProblems(projects, readRules(environment))
      const count = projects.length === 1 ? '1 project' : `${projects.length} projects`
      const text = problems.join('\n') || `${path}: ${count}, all in order.`
      return { text, result: { projects: projects.length, problems }, ok: problems.length === 0 }
    },
  },
} as const satisfies Record<string, Command>

function list(projects: readonly ProjectEntry[]): Outcome {
  const lines = projects.map(({ id, name, apiKey, allowedOrigins }) =>
    [id.padEnd(24), shorten(apiKey).padEnd(9), name, allowedOrigins.join(',')].join('  '),
  )
  return { text: lines.join('\n') || 'There are no projects.', result: { projects: projects.map(withoutKey) } }
}

type Changed = { projects: readonly ProjectEntry[]; project: ProjectEntry }
type Change = (projects: readonly ProjectEntry[], id: string, options: CommandOptions) => Changed

/** Refuses changes that leave this project with a problem. Problems of other projects are left to `projects check`. */
function change({ environment, operands, options }: Call, make: Change): Outcome {
  const path = readProjectsPath(environment)
  const rules = readRules(environment)
  const checked = (before: readonly ProjectEntry[]): Changed => {
    const made = make(before, operands[0] ?? '', options)
    const known = findProjectProblems(before, rules)
    const problems = findProjectProblems(made.projects, rules).filter((problem) => !known.includes(problem))
    if (problems.length > 0) throw configInvalid(`The file ${path} was not changed. ${problems.join(' ')}`)
    return made
  }
  if (!options.write) {
    const { projects } = checked(existsSync(path) ? readProjectsFile(path) : [])
    return { text: formatJsonFile(projects).trimEnd(), result: { projects } }
  }
  const project = changeJsonFile<readonly ProjectEntry[], ProjectEntry>({
    path,
    read: readProjectsFile,
    empty: [],
    change(before) {
      const made = checked(before)
      return { after: made.projects, result: made.project }
    },
  })
  const { apiKey } = project
  const text = `${apiKey}\n\nThis API key of ${project.id} is shown once; ${path} holds it. Give all copies the file, and start them again.`
  return { text, result: { project: withoutKey(project), apiKey, path } }
}

function add(projects: readonly ProjectEntry[], id: string, options: CommandOptions): Changed {
  const { name, origins, redirects, organization, logo } = options
  if (!name || !origins) throw configInvalid('Give --name NAME and --origins URL,URL (the origins of its pages).')
  if (!/^[\w.-]{1,128}$/.test(id)) throw configInvalid('ID must be 1 to 128 letters, digits, dots, _ and -.')
  if (projects.some((project) => project.id === id))
    throw configInvalid(`The project ${id} already exists. Choose another ID.`)
  const project: ProjectEntry = {
    id,
    name,
    apiKey: makeKey(),
    redirectUrls: split(redirects),
    allowedOrigins: split(origins),
    ...(organization !== undefined && { organizationId: organization }),
    ...(logo !== undefined && { logoUrl: logo }),
  }
  return { projects: [...projects, project], project }
}

function rotate(projects: readonly ProjectEntry[], id: string): Changed {
  const project = { ...find(projects, id), apiKey: makeKey() }
  return { projects: projects.map((other) => (other.id === id ? project : other)), project }
}

function find(projects: readonly ProjectEntry[], id: string | undefined): ProjectEntry {
  const found = projects.find((project) => project.id === id)
  if (!found) throw configInvalid('There is no project with this ID. `latchkey-server projects list` shows all.')
  return found
}

function makeKey(): string {
  return `lk_${randomBytes(32).toString('base64url')}`
}

function split(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Shows at most a quarter of a short key. */
function shorten(apiKey: string): string {
  return `${apiKey.slice(0, Math.min(8, apiKey.length / 4))}…`
}

function withoutKey(project: ProjectEntry): ProjectEntry {
  return { ...project, apiKey: shorten(project.apiKey) }
}

function readRules(environment: Call['environment']): findProjectProblems.Options {
  const reader = createReader(environment)
  const names = settings.pick({ LATCHKEY_MODE: true, LATCHKEY_ROOT_ORGANIZATION_ID: true })
  const read = reader.read(names.partial({ LATCHKEY_ROOT_ORGANIZATION_ID: true }), (values) => ({
    mode: values.LATCHKEY_MODE,
    rootOrganizationId: values.LATCHKEY_ROOT_ORGANIZATION_ID,
  }))
  return reader.settle(read)
}
