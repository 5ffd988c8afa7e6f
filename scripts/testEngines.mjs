import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.log)
const { ensureEngine } = await import('./lib/ensureEngine.mjs')
const { runTests } = await import('./lib/runTests.mjs')

for (const name of ['chromium', 'firefox', 'webkit']) await ensureEngine(name, console.log)
const { passed, failed, names } = await runTests('engines')
if (names.length > 0) console.log(`Failed:\n${names.map((name) => `  ${name}`).join('\n')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
