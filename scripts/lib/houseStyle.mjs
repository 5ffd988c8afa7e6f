import { isTest, lineAt, listFiles, parseSource } from './sources.mjs'

/** Places that leave the house's layout, as `path:line what to do`: types before their function, tags for errors and defaults. */
export function findStyleFaults() {
  const paths = listFiles('.ts', '.tsx').filter((path) => !path.endsWith('.d.ts'))
  return [
    ...paths.filter((path) => !isTest(path)).flatMap((path) => faultsIn(parseSource(path))),
    ...findFolders(paths),
  ]
}

const inDocstrings = [
  [/\bThrows `/, 'write errors as `@throws`'],
  [/\bDefaults?:? (`|\d)/, 'write defaults as `@default`'],
]

function faultsIn({ path, text, program, comments }) {
  const found = []
  for (const { value, start } of comments) {
    if (!value.startsWith('*')) continue
    for (const [pattern, advice] of inDocstrings) {
      const match = pattern.exec(value)
      if (match) found.push(`${path}:${lineAt(text, start + match.index)} ${advice}`)
    }
  }
  const functions = new Map()
  for (const { declaration, start } of program.body) {
    const name = declaration?.id?.name
    if (/Function/.test(declaration?.type ?? '')) functions.set(name, start)
    if (declaration?.type === 'TSModuleDeclaration' && functions.has(name)) {
      found.push(`${path}:${lineAt(text, start)} put the namespace ${name} before its function`)
    }
  }
  return found
}

/** Folders are camelCase, as files are. */
function findFolders(paths) {
  const folders = new Set(
    paths.flatMap((path) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, i, all) => all.slice(0, i + 1).join('/')),
    ),
  )
  return [...folders].filter((path) => /[-_]/.test(path)).map((path) => `${path} name the folder in camelCase`)
}
