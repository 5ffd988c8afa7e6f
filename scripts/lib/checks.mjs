import { programPath, runNode } from './run.mjs'

/** The checks of `npm run check`. Each returns an exit code and prints its findings. */
const checks = [
  {
    name: 'types of tests',
    run: () => runNode([programPath('typescript', 'tsc'), '-p', 'tsconfig.test.json', '--pretty', 'false']),
  },
  {
    name: 'lint and import boundaries',
    run: () => runNode([programPath('@biomejs/biome', 'biome'), 'ci', '--reporter=summary', '.']),
  },
  // Loaded late: its parser is missing before the first install.
  { name: 'comments', run: async () => (await import('./comments.mjs')).checkComments() },
  { name: 'unused code and packages', run: () => runNode([programPath('knip'), '--no-progress', '--cache']) },
]

/** Runs every check, also after a failed one. Returns how many passed and failed, and the names of the failed ones. */
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

export function secondsSince(began) {
  const seconds = (performance.now() - began) / 1000
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(1)} min`
}
