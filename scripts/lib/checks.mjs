import { findBrokenJson, findUnmarkedCommands } from './docBlocks.mjs'
import { checkExamples } from './examples.mjs'
import { measureHouse } from './figures.mjs'
import { findStyleFaults } from './houseStyle.mjs'
import { programPath, runNode } from './run.mjs'
import { findListedWords } from './vocabulary.mjs'
import { findStaleWalls } from './walls.mjs'

/** What is checked beside the tests. Each runs to an exit code and prints what it found. */
const checks = [
  {
    name: 'types of tests',
    run: () => runNode([programPath('typescript', 'tsc'), '-p', 'tsconfig.test.json', '--pretty', 'false']),
  },
  {
    name: 'lint and walls',
    run: () => runNode([programPath('@biomejs/biome', 'biome'), 'ci', '--reporter=summary', '.']),
  },
  {
    name: 'walls written from their list',
    run: () => report(findStaleWalls(), 'is not what the list says: npm run walls'),
  },
  { name: 'figures of the house', run: reportFigures },
  { name: 'plain words', run: () => report(findListedWords()) },
  { name: 'house style', run: () => report(findStyleFaults()) },
  { name: 'examples in docstrings and docs', run: () => checkExamples() },
  { name: 'commands and JSON in docs', run: () => report([...findUnmarkedCommands(), ...findBrokenJson()]) },
  { name: 'unused code and packages', run: () => runNode([programPath('knip'), '--no-progress']) },
  { name: 'size budgets', run: () => runNode([programPath('size-limit')]) },
]

/** Runs every check, also after a failed one. Returns how many passed and failed, and which. */
export async function runChecks(list = checks) {
  const count = { passed: 0, failed: 0, names: [] }
  for (const { name, run } of list) {
    const began = performance.now()
    const { code } = await run()
    count[code === 0 ? 'passed' : 'failed'] += 1
    if (code !== 0) count.names.push(name)
    console.log(`${code === 0 ? '✓' : '✗'} ${name} (${secondsSince(began)})`)
  }
  return count
}

function reportFigures() {
  const { lines, faults } = measureHouse()
  console.log(lines.map((line) => `  ${line}`).join('\n'))
  return report(faults)
}

/** Prints what a check found, at most a screenful. */
function report(faults, note = '') {
  for (const fault of faults.slice(0, 40)) console.error(`  ${fault} ${note}`)
  if (faults.length > 40) console.error(`  … and ${faults.length - 40} more`)
  return { code: faults.length === 0 ? 0 : 1 }
}

/** Time that has passed since `performance.now()` was `began`, as text. */
export const secondsSince = (began) => `${((performance.now() - began) / 1000).toFixed(1)} s`
