import { checkNode } from './lib/checkNode.mjs'

checkNode()
const [option = '--seconds', seconds = '60', ...rest] = process.argv.slice(2)
if (option !== '--seconds' || !/^[1-9]\d{0,3}$/.test(seconds) || rest.length > 0) {
  console.error('Usage: npm run load [-- --seconds N]')
  process.exit(2)
}
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.error)
const { runTests } = await import('./lib/runTests.mjs')
const { passed, failed } = await runTests('load', { env: { LATCHKEY_LOAD_SECONDS: seconds } })
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
