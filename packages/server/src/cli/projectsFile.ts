import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { configInvalid } from '../http/ServerError.ts'
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

/** As the commands write the file. */
export function formatProjects(projects: readonly ProjectEntry[]): string {
  return `${JSON.stringify(projects, null, 2)}\n`
}

export declare namespace changeProjectsFile {
  type Parameters<result> = {
    path: string
    /** What the file holds next, and what the caller gets. */
    change(projects: readonly ProjectEntry[]): { projects: readonly ProjectEntry[]; result: result }
  }
}

/**
 * Reads, changes and replaces the file of projects: a server that starts meanwhile reads the one or the other, whole. The
 * next file, beside it, is the lock too, so of two changes at once one is refused. Owner and mode stay; a first file only
 * its owner reads.
 *
 * @throws `CONFIG_INVALID`: nothing was changed.
 */
export function changeProjectsFile<result>({ path, change }: changeProjectsFile.Parameters<result>): result {
  // The file itself, where the path is a link to it.
  const target = existsSync(path) ? realpathSync(path) : path
  const next = `${target}.next`
  const file = lock(next, path)
  let isDone = false
  try {
    const { projects, result } = change(existsSync(target) ? readProjectsFile(target) : [])
    writeSync(file, formatProjects(projects))
    fsyncSync(file)
    keepOwner(target, next)
    renameSync(next, target)
    isDone = true
    syncFolder(dirname(target))
    return result
  } finally {
    closeSync(file)
    if (!isDone) rmSync(next, { force: true })
  }
}

function lock(next: string, path: string): number {
  try {
    return openSync(next, 'wx', existsSync(path) ? statSync(path).mode & 0o777 : 0o600)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const why =
      code === 'EEXIST'
        ? `another change of it is under way; where none is, one was cut off: remove ${next}`
        : `its folder cannot be written (${code})`
    throw configInvalid(`The file ${path} was not changed: ${why}.`, cause)
  }
}

/** The server reads the file as its own user, also after root changed it. */
function keepOwner(target: string, next: string): void {
  if (!existsSync(target)) return
  const { uid, gid } = statSync(target)
  const made = statSync(next)
  if (made.uid === uid && made.gid === gid) return
  try {
    chownSync(next, uid, gid)
  } catch (cause) {
    throw configInvalid(`The file ${target} was not changed: run this as its owner, who could not be kept.`, cause)
  }
}

/** So that the new name outlives a loss of power. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
