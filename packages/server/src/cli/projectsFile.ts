import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { createReader, type Environment } from './createReader.ts'
import { projectSchema } from './projectSchema.ts'

/** A project as stored in the file, including members unknown to this release. */
export type ProjectEntry = z.output<typeof entrySchema>

const entrySchema = z.looseObject(projectSchema.shape)

/**
 * Returns the path of the projects file.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readProjectsPath(environment: Environment): string {
  const reader = createReader(environment)
  const setting = z.object({ LATCHKEY_PROJECTS_FILE: z.string().describe('the JSON file of projects') })
  return reader.settle(reader.read(setting, (values) => values.LATCHKEY_PROJECTS_FILE))
}

/**
 * Reads the projects of a file, unchanged. Error messages name positions but no values, since the file holds API keys
 * and webhook secrets.
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
