import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { configInvalid } from '../platform/errors/ServerError.ts'

export declare namespace changeJsonFile {
  type Parameters<content, result> = {
    path: string
    /** Parses the file. Throws if its content is invalid. */
    read(path: string): content
    /** Content of a missing file. */
    empty: content
    /** Returns the file's next content and the caller's result. */
    change(before: content): { after: content; result: result }
  }
}

/**
 * Reads, changes and atomically replaces a configuration file, so that a starting server never reads a partial file.
 * The temporary file in the same folder also serves as the lock, so concurrent changes are refused. A replaced file
 * keeps its owner and mode; a new file is readable only by its owner.
 *
 * @throws `CONFIG_INVALID`: nothing was changed.
 */
export function changeJsonFile<content, result>(parameters: changeJsonFile.Parameters<content, result>): result {
  const { path, read, empty, change } = parameters
  // The link's target, if the path is a symbolic link.
  const target = existsSync(path) ? realpathSync(path) : path
  const next = `${target}.next`
  const file = lock(next, path)
  let isDone = false
  try {
    const { after, result } = change(existsSync(target) ? read(target) : empty)
    writeSync(file, formatJsonFile(after))
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

export function formatJsonFile(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`
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

/** Preserves the file's owner, since the server reads the file as its own user even after root changed it. */
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

/** Makes the rename survive a power loss. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
