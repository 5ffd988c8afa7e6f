import { programOf, runNode } from './run.mjs'

/** What is checked beside the tests. Each runs to an exit code and prints what it found. */
const checks = [
  {
    name: 'types of tests',
    run: () => runNode([programOf('typescript', 'tsc'), '-p', 'tsconfig.test.json', '--pretty', 'false']),
  },
  {
    name: 'lint and walls',
    run: () => runNode([programOf('@biomejs/biome', 'biome'), 'ci', '--reporter=summary', '.']),
  },
  { name: 'unused code and packages', run: () => runNode([programOf('knip'), '--no-progress']) },
  { name: 'size budgets', run: () => runNode([programOf('size-limit')]) },
]

/** Runs every check, also after a failed one. Returns how many passed and failed. */
export async function runChecks(list = checks) {
  const count = { passed: 0, failed: 0 }
  for (const { name, run } of list) {
    const { code } = await run()
    count[code === 0 ? 'passed' : 'failed'] += 1
    console.log(`${code === 0 ? '✓' : '✗'} ${name}`)
  }
  return count
}
