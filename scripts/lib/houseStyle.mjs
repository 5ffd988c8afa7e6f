import { isTest, lineAt, listFiles, parseSource } from './sources.mjs'

/** Places that leave the house's layout, as `path:line what to do`: types before their function, tags for errors and defaults. */
export function findStyleFaults() {
  const paths = listFiles('.ts', '.tsx').filter((path) => !path.endsWith('.d.ts'))
  return [
    ...paths.filter((path) => !isTest(path)).flatMap((path) => faultsIn(parseSource(path))),
    ...paths.filter((path) => isServer(path)).flatMap((path) => findMachineTime(parseSource(path))),
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

/** Code of roles, whose time a test world can set ahead. */
const isServer = (path) =>
  path.startsWith('packages/server/src/') && !isTest(path) && !/\/(migrations|cli)\//.test(path)

const machineTimes = [
  // Not a reference, which is the default of a parameter, and not where an HTTP date is compared with.
  [
    /(?<!Date\.parse\(text\) - )\bDate\.now\(\)|\bnew Date\(\)/,
    "take the role's clock, or performance.now() for durations",
  ],
  [/\bURL\.canParse\b/, 'read URLs by http/parseUrl.ts, since Node 20 fails on letters of Latin-1'],
  [/`[^`]*(?<![\w.])(?:now|clock_timestamp|statement_timestamp)\(\)[^`]*`/, 'write latchkey_now() in SQL'],
]

/** The queue compares with the machine's time, and the clock itself is made of it. */
const ownTime = ['packages/server/src/store/jobs.ts', 'packages/server/src/store/worldClock.ts']

function findMachineTime({ path, text }) {
  if (ownTime.includes(path)) return []
  return text
    .split('\n')
    .flatMap((line, index) =>
      /^\s*(\*|\/\/|\/\*\*)/.test(line)
        ? []
        : machineTimes.filter(([pattern]) => pattern.test(line)).map(([, advice]) => `${path}:${index + 1} ${advice}`),
    )
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
