import { parseArgs } from 'node:util'
import { checkNode } from './lib/checkNode.mjs'

checkNode()
const usage = 'Usage: npm run load [-- --seconds 30-7200] [--copies 1-4]'
const { seconds, copies } = readOptions()
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.error)
const { runTests } = await import('./lib/runTests.mjs')
const env = { LATCHKEY_LOAD_SECONDS: seconds, LATCHKEY_LOAD_COPIES: copies }
const { passed, failed } = await runTests('load', { env })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function readOptions() {
  try {
    const options = { seconds: { type: 'string', default: '60' }, copies: { type: 'string', default: '1' } }
    const { values } = parseArgs({ options })
    if (
      /^[1-4]$/.test(values.copies) &&
      /^\d{2,4}$/.test(values.seconds) &&
      values.seconds >= 30 &&
      values.seconds <= 7_200
    )
      return values
  } catch {
    // An option that there is not.
  }
  console.error(usage)
  process.exit(2)
}
