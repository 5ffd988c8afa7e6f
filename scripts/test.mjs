import { checkNode } from './lib/checkNode.mjs'

const usage = `Usage: npm test [-- FILTER ...]

Builds what changed and runs the tests of every change: module, service and page, with the eight journeys. FILTER: part
of a test file's path. The rest of the suite: npm run test:full. Types, lint and unused code: npm run check.`

checkNode()
const filters = process.argv.slice(2)
if (filters.some((filter) => filter.startsWith('-'))) {
  console.log(usage)
  process.exit(filters.includes('--help') ? 0 : 2)
}
const began = performance.now()
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.log)
const { ensureChromium } = await import('./lib/ensureChromium.mjs')
const { secondsSince } = await import('./lib/checks.mjs')
const { runTests } = await import('./lib/runTests.mjs')

await ensureChromium(console.log)
console.log(`Ready to test after ${secondsSince(began)}.`)
const { passed, failed, names } = await runTests(['module', 'service', 'page'], { options: filters })
if (names.length > 0) console.log(`Failed:\n${names.map((name) => `  ${name}`).join('\n')}`)
console.log(`All of it took ${secondsSince(began)}.`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
