import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'
import { root, run } from './run.mjs'

/** Words that a comment must not begin with, since it would have no subject. */
const fragment = /^[\s*]*(Of|What|Whose|Who|How)\s/

/** Prints each comment of a tracked source file that begins with one of these words. Resolves to an exit code. */
export async function checkComments() {
  const { output } = await run('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { capture: true })
  let count = 0
  for (const path of output.split('\n').filter(Boolean)) {
    const text = readFileSync(join(root, path), 'utf8')
    for (const { value, start } of parseSync(path, text).comments) {
      if (!fragment.test(value)) continue
      count += 1
      console.error(
        `  ${path}:${text.slice(0, start).split('\n').length}: begin with a verb or a noun:${value.split('\n')[0]}`,
      )
    }
  }
  return { code: count === 0 ? 0 : 1 }
}
