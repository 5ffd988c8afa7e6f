import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { createReader, type Environment } from './createReader.ts'
import { projectSchema } from './settings.ts'

/** A project as the file holds it, with members that this release does not know. */
export type ProjectEntry = z.output<typeof entrySchema>

const entrySchema = z.looseObject(projectSchema.shape)

/**
 * Where the projects are.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readProjectsPath(environment: Environment): string {
  const reader = createReader(environment)
  const setting = z.object({ LATCHKEY_PROJECTS_FILE: z.string().describe('the JSON file of projects') })
  return reader.settle(reader.read(setting, (values) => values.LATCHKEY_PROJECTS_FILE))
}

/**
 * The projects of a file, as they are written there. Messages name places, never values: the file holds API keys and secrets
 * of webhooks.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readProjectsFile(path: string): ProjectEntry[] {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw configInvalid(`The file ${path} cannot be read as JSON: LATCHKEY_PROJECTS_FILE names a list of projects.`)
  }
  const parsed = z.array(entrySchema).safeParse(value)
  if (parsed.success) return parsed.data
  const places = parsed.error.issues.map(({ path: place, message }) => `${place.join('.') || 'its start'} (${message})`)
  throw configInvalid(
    `The file ${path} must hold a list of { id, name, apiKey, redirectUrls, allowedOrigins, … }; see ${places.join(', ')}.`,
  )
}
