import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { configInvalid } from '../platform/errors/ServerError.ts'

/**
 * Writes files with mode 0600 atomically into a new folder with mode 0700, and returns their absolute paths. Refuses a
 * folder that is not empty.
 *
 * @throws `CONFIG_INVALID`.
 */
export function writeFolder(folder: string, files: Readonly<Record<string, string>>): string[] {
  const path = resolve(folder)
  let draft: string | undefined
  try {
    mkdirSync(dirname(path), { recursive: true })
    // Created with mode 0700 in the parent folder. The final rename fails if the target is not empty.
    draft = mkdtempSync(join(dirname(path), `.${basename(path)}-`))
    for (const [name, content] of Object.entries(files)) {
      const file = join(draft, name)
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(file, content, { mode: 0o600, flag: 'wx', flush: true })
    }
    renameSync(draft, path)
  } catch (cause) {
    if (draft) rmSync(draft, { recursive: true, force: true })
    const { code } = cause as NodeJS.ErrnoException
    const reason = isTaken(code) ? 'exists and is not empty: name a new one' : `cannot be made (${code})`
    throw configInvalid(`The folder ${folder} ${reason}. Nothing was written.`, cause)
  }
  return Object.keys(files).map((name) => join(path, name))
}

function isTaken(code: string | undefined): boolean {
  return code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR'
}
