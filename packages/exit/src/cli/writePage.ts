import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { CommandError } from '../errors.ts'

/** Built by `packages/exit/build.mjs`. */
const built = new URL('../../pages/exit.html', import.meta.url)

/**
 * Writes the exit page to a new file and prints its hash.
 *
 * @throws `CONFIG_INVALID`
 */
export async function writePage({ page, json }: { page: string; json: boolean }): Promise<void> {
  const bytes = readFileSync(built)
  try {
    writeFileSync(page, bytes, { flag: 'wx' })
  } catch (cause) {
    const text = `${page} cannot be written.`
    throw new CommandError(text, { code: 'CONFIG_INVALID', cause, hint: 'Choose a file that does not exist yet.' })
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  console.log(json ? JSON.stringify({ page, sha256 }) : `Wrote ${page}\nsha256 ${sha256}\nOpen it in a browser.`)
}
