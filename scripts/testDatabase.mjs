import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.log)
const { ensureDebian } = await import('./lib/ensureDebian.mjs')
const { runTests } = await import('./lib/runTests.mjs')

await ensureDebian(console.log)
const store = { options: ['packages/server/src/store/'], env: { LATCHKEY_TEST_POSTGRES: 'debian' } }
const counts = [await runTests('database'), await runTests('unit', store)]
const [passed, failed] = [sum('passed'), sum('failed')]
const names = counts.flatMap((count) => count.names)
if (names.length > 0) console.log(`Failed:\n${names.map((name) => `  ${name}`).join('\n')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function sum(what) {
  return counts.reduce((total, count) => total + count[what], 0)
}
