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

/** Time that has passed since `performance.now()` was `began`, as text. */
export const secondsSince = (began) => `${((performance.now() - began) / 1000).toFixed(1)} s`
