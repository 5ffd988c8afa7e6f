import type { ProjectChange } from '../admin/defineRoute.ts'
import { findProjectProblems } from './findProjectProblems.ts'
import { projectSchema } from './projectSchema.ts'
import type { ProjectEntry } from './projectsFile.ts'

/** Members that a test may change. Excludes the project's identity and secrets. */
const changeSchema = projectSchema.omit({ id: true, apiKey: true, webhooks: true }).partial().strict()

/**
 * Returns a copy of a project in the file with some members changed, and the problems that the change causes. Writes
 * nothing. Omits the API key. Returns undefined for a project that is not in the file.
 */
export function checkProjectChange(
  projects: readonly ProjectEntry[],
  { id, changes }: ProjectChange.Parameters,
  rules: findProjectProblems.Options,
): ProjectChange.ReturnType | undefined {
  const before = projects.find((project) => project.id === id)
  if (!before) return undefined
  const parsed = changeSchema.safeParse(changes)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'The change'}: ${message}.`)
    return { problems, entry: toShown(before) }
  }
  const given = Object.fromEntries(Object.entries(parsed.data).filter(([, value]) => value !== undefined))
  const after: ProjectEntry = { ...before, ...given }
  const known = findProjectProblems(projects, rules)
  const next = projects.map((project) => (project === before ? after : project))
  const problems = findProjectProblems(next, rules).filter((problem) => !known.includes(problem))
  return { problems, entry: toShown(after) }
}

function toShown({ apiKey: _, ...rest }: ProjectEntry): Record<string, unknown> {
  return rest
}
