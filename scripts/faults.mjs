import { checkNode } from './lib/checkNode.mjs'

checkNode()
const usage = 'npm run faults [-- [--rounds N] [--seed N]]'
const args = process.argv.slice(2)
/** The whole number after an option; undefined without the option. */
function readNumber(name) {
  const at = args.indexOf(name)
  if (at === -1) return undefined
  const [, value = ''] = args.splice(at, 2)
  if (/^\d{1,10}$/.test(value)) return value
  console.error(`${name} takes a whole number.\n\nUsage: ${usage}`)
  process.exit(2)
}
const rounds = readNumber('--rounds') ?? '200'
const seed = readNumber('--seed')
if (args.length > 0) {
  console.error(`Unknown option ${args[0]}\n\nUsage: ${usage}`)
  process.exit(2)
}
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.error)
const { runTests } = await import('./lib/runTests.mjs')

const { passed, failed, names } = await runTests('e2e', {
  options: ['e2e/faults'],
  env: { LATCHKEY_FAULT_ROUNDS: rounds, ...(seed === undefined ? {} : { LATCHKEY_SEED: seed }) },
})
if (names.length > 0) console.log(`Failed:\n${names.map((name) => `  ${name}`).join('\n')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
