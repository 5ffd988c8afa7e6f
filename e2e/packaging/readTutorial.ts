import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the commands and files in docs/tutorial.md in order. */
export function readTutorial(root: string): { commands: string[]; files: { path: string; code: string }[] } {
  const text = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')
  const commands = [...text.matchAll(/<!-- run by .+ -->\n\n```sh\n([\s\S]*?)```/g)].flatMap(([, lines = '']) =>
    lines.trim().split('\n'),
  )
  const blocks = text.matchAll(/`([\w/.]+)`:\n+<!-- .+ -->\n\n```tsx?\n([\s\S]*?)^```$/gm)
  return { commands, files: [...blocks].map(([, path = '', code = '']) => ({ path, code })) }
}
