import { isTest, listFiles, parseSource, readSource, relativeImports, walk } from './sources.mjs'

const maxLines = 400
const areas = ['packages/latchkey', 'packages/server', 'packages/dev', 'packages/frames', 'packages/contracts', '']

/** The house in numbers: hand-written source, tests apart. Returns lines to print, and what breaks a limit. */
export function measureHouse() {
  const files = listFiles('.ts', '.tsx', '.sol', '.css').filter((path) => !path.endsWith('.d.ts'))
  const sources = files.filter((path) => !isTest(path))
  const lengths = new Map(files.map((path) => [path, readSource(path).split('\n').length - 1]))
  const parsed = sources.filter((path) => /\.tsx?$/.test(path)).map(parseSource)
  const cycles = findCycles(parsed)
  const anys = parsed.flatMap(countAny)
  const tests = files.filter(isTest)
  const total = (paths) => paths.reduce((sum, path) => sum + lengths.get(path), 0)
  const rows = areas.map((area) =>
    describe(
      area || 'all source',
      sources.filter((path) => path.startsWith(area)),
      lengths,
    ),
  )
  return {
    lines: [
      ...rows,
      `test lines / source lines ${(total(tests) / total(sources)).toFixed(2)}, cycles ${cycles.length}, any ${anys.length}`,
    ],
    faults: [
      ...files.filter((path) => lengths.get(path) > maxLines).map((path) => `${path} has more than ${maxLines} lines.`),
      ...cycles.map((cycle) => `Import cycle: ${cycle.join(' → ')}`),
      ...anys.map((path) => `${path} uses any.`),
    ],
  }
}

function describe(name, paths, lengths) {
  const sorted = paths.map((path) => lengths.get(path)).sort((a, b) => a - b)
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  const largest = paths.find((path) => lengths.get(path) === sorted.at(-1))
  return `${name.padEnd(18)} files ${String(paths.length).padStart(3)}, median ${at(0.5)}, p90 ${at(0.9)}, largest ${sorted.at(-1)} (${largest})`
}

/** Cycles among relative imports, type imports included: one path for each group of files that import each other. */
function findCycles(parsed) {
  const imports = new Map(parsed.map((file) => [file.path, relativeImports(file)]))
  const done = new Set()
  const found = []
  function follow(path, trail) {
    const start = trail.indexOf(path)
    if (start !== -1) found.push([...trail.slice(start), path])
    if (start !== -1 || done.has(path)) return
    for (const next of imports.get(path) ?? []) follow(next, [...trail, path])
    done.add(path)
  }
  for (const path of imports.keys()) follow(path, [])
  return found
}

function countAny({ path, text, program }) {
  const found = []
  walk(program, (node) => {
    if (node.type !== 'TSAnyKeyword') return
    // An exception listed for the linter, with its reason, stands on the line before.
    const before = text.slice(0, node.start).split('\n').at(-2) ?? ''
    if (!before.includes('biome-ignore lint/suspicious/noExplicitAny')) found.push(path)
  })
  return found
}
