import { parseArgs } from 'node:util'
import { checkNode } from './lib/checkNode.mjs'

const usage = `Usage: node scripts/checkExit.mjs [--rpc-url URL]

Moves everything out of an account of each type, by the command and by the page, where nothing of ours runs but a chain.
With --rpc-url it runs on the code at that anvil, such as a fork of a public chain, which is as before when it is done.`

checkNode()
const url = readUrl()
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.log)
const { runTests } = await import('./lib/runTests.mjs')
const { passed, failed, names } = await runTests('process', {
  options: ['--no-file-parallelism', 'packages/exit/'],
  env: url ? { LATCHKEY_CONTRACTS_RPC_URL: url } : {},
})
if (names.length > 0) console.log(`Failed:\n${names.map((name) => `  ${name}`).join('\n')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function readUrl() {
  try {
    const { values } = parseArgs({ options: { 'rpc-url': { type: 'string' } } })
    const given = values['rpc-url']
    if (given === undefined || (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol))) return given
    console.error(`--rpc-url ${given} is not the URL of a node, such as http://127.0.0.1:8545.\n\n${usage}`)
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`)
  }
  process.exit(2)
}
