import type { Project } from './project.ts'

/** Where a project's mail links may lead: its redirect URLs; while it has none, the front pages of its origins. */
export function landingUrls(project: Pick<Project, 'redirectUrls' | 'allowedOrigins'>): string[] {
  if (project.redirectUrls.length > 0) return project.redirectUrls
  return project.allowedOrigins.map((origin) => `${origin}/`)
}
