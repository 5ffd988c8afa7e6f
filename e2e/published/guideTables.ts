import { readFileSync } from 'node:fs'

// The tables of the guide for apps of Account Kit, and what its packages declare.

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

export const guide = read('docs/guides/from-account-kit.md')
const compatPage = read('packages/latchkey/src/wallet/compat/README.md')

/** The names in code of a cell: plain ones only, without calls and members. */
export const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)

/** Each name that has a row, or is left out by name. */
export const listedNames: ReadonlySet<string> = new Set(
  [...guide.matchAll(/^\|.*\|$/gm), ...compatPage.matchAll(/^\|.*\|$/gm)].flatMap(([line]) => namesIn(line)),
)

/** Values that a file of declarations exports. */
export function listExports(file: URL): string[] {
  const text = readFileSync(file, 'utf8')
  const lists = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','))
  const names = lists.map((part) => part.trim()).filter((part) => part !== '' && !part.startsWith('type '))
  const spaces = [...text.matchAll(/^export \* as (\w+)/gm)].map(([, name = '']) => name)
  return [...names.map((name) => name.replace(/^.* as /, '')), ...spaces]
}
