import { parseArgs } from 'node:util'
import { checkNode } from './lib/checkNode.mjs'

const usage = `Usage: npm run test:contracts [-- [--rpc-url URL] [FILTER ...]]

Runs the contract suite on our contracts. With --rpc-url it runs on the code at their addresses on that anvil, such as
the public contracts': one file after the other, without what is ours alone (*.own.test.ts). Contracts that are missing
there are placed, and the chain is as before when a file is done. FILTER: part of a test file's path.`

checkNode()
const { values, positionals } = readArguments()
const url = values['rpc-url']
const { ensureInstalled } = await import('./lib/ensureInstalled.mjs')
await ensureInstalled(console.log, { withTests: true })
const { runTests } = await import('./lib/runTests.mjs')
const foreign = {
  options: ['--no-file-parallelism', '--exclude', '**/*.own.test.ts'],
  env: { LATCHKEY_CONTRACTS_RPC_URL: url },
}
const { options = [], env = {} } = url ? foreign : {}
const paths = positionals.length > 0 ? positionals : ['packages/contracts/src/']
const { passed, failed, names } = await runTests('contracts', { options: [...options, ...paths], env })
if (names.length > 0) console.log(`Failed:\n${names.map((name) => `  ${name}`).join('\n')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function readArguments() {
  try {
    const read = parseArgs({ options: { 'rpc-url': { type: 'string' } }, allowPositionals: true })
    const given = read.values['rpc-url']
    if (given === undefined || (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol))) return read
    console.error(`--rpc-url ${given} is not the URL of a node, such as http://127.0.0.1:8545.\n\n${usage}`)
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`)
  }
  process.exit(2)
}
