import { readProjects } from '../custody/organizations/trustedProjects.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { projectSchema } from './projectSchema.ts'
import type { ProjectEntry } from './projectsFile.ts'
import { refuseInProduction } from './refuseInProduction.ts'

export declare namespace findProjectProblems {
  type Options = {
    mode: 'production' | 'development'
    /** Parent organization of projects that do not set one. */
    rootOrganizationId?: string | undefined
  }
}

/**
 * Returns the projects' problems, each as a sentence with the fix. Includes problems that prevent `start` and problems
 * that `start` ignores.
 */
export function findProjectProblems(
  projects: readonly ProjectEntry[],
  { mode, rootOrganizationId }: findProjectProblems.Options,
): string[] {
  const problems: string[] = []
  const report = (problem: string) => void problems.push(problem)
  for (const project of projects) {
    checkValues(project, report)
    for (const name of Object.keys(project))
      if (!Object.hasOwn(projectSchema.shape, name))
        report(`Project ${quote(project.id)} has an unknown member ${quote(name)}. Check its spelling.`)
  }
  for (const [one, other] of repeated(projects, ({ id }) => id))
    report(
      `Projects ${places(projects, one, other)} have the same id ${quote(one.id)}. Only the last one would be used.`,
    )
  for (const [one, other] of repeated(projects, ({ apiKey }) => apiKey))
    report(`Projects ${places(projects, one, other)} have the same API key. Give each its own with projects rotate ID.`)
  checkParents(projects, rootOrganizationId, report)
  if (mode === 'production')
    refuseInProduction({ report: (problem) => report(`In production: ${problem}.`) }, { projects })
  return problems
}

type Report = (problem: string) => void

function checkValues(project: ProjectEntry, report: Report): void {
  if (project.id === '' || project.id.length > 128) report('The id of a project must have 1 to 128 characters.')
  try {
    readProjects([project])
  } catch (error) {
    if (!(error instanceof ServerError)) throw error
    report(error.message)
  }
}

/** Settings that apply only if every project of a parent organization has them. */
const common = [
  { name: 'confirmations "none"', isSet: ({ confirmations }: ProjectEntry) => confirmations === 'none' },
  {
    name: 'parentCredentials "allowed"',
    isSet: ({ parentCredentials }: ProjectEntry) => parentCredentials === 'allowed',
  },
  { name: 'exportsTo "frame"', isSet: ({ exportsTo }: ProjectEntry) => exportsTo === 'frame' },
  { name: 'importsTo "frame"', isSet: ({ importsTo }: ProjectEntry) => importsTo === 'frame' },
  { name: 'signing.blind "allow"', isSet: ({ signing }: ProjectEntry) => signing?.blind === 'allow' },
]

function checkParents(projects: readonly ProjectEntry[], root: string | undefined, report: Report): void {
  const parents = new Map<string, ProjectEntry[]>()
  for (const project of projects) {
    const parent = (project.organizationId ?? root ?? '').toLowerCase()
    parents.set(parent, [...(parents.get(parent) ?? []), project])
  }
  for (const siblings of parents.values())
    for (const { name, isSet } of common) {
      const says = siblings.find(isSet)
      const other = siblings.find((project) => !isSet(project))
      if (other && says)
        report(
          `Project ${quote(says.id)}: ${name} has no effect, since ${quote(other.id)} of the same parent organization does not say it.`,
        )
    }
}

function repeated(
  projects: readonly ProjectEntry[],
  read: (project: ProjectEntry) => string,
): [ProjectEntry, ProjectEntry][] {
  const first = new Map<string, ProjectEntry>()
  const pairs: [ProjectEntry, ProjectEntry][] = []
  for (const project of projects) {
    const found = first.get(read(project))
    if (found) pairs.push([found, project])
    else first.set(read(project), project)
  }
  return pairs
}

function places(projects: readonly ProjectEntry[], one: ProjectEntry, other: ProjectEntry): string {
  return `${projects.indexOf(one) + 1} and ${projects.indexOf(other) + 1}`
}

const quote = (text: string) => JSON.stringify(text)
