import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { ensureInstalled } = await import('./lib/ensureInstalled.mjs')
await ensureInstalled(console.log)
const { ensureChromium } = await import('./lib/ensureChromium.mjs')
const { ensureKept } = await import('./lib/ensureKept.mjs')
const { ensurePublishedClients } = await import('./lib/ensurePublishedClients.mjs')
const { runTests } = await import('./lib/runTests.mjs')

await ensureChromium(console.log)
await ensurePublishedClients(console.log)
await ensureKept('e2e/accountKitReact', console.log)
const { passed, failed, names } = await runTests('hooks')
if (names.length > 0) console.log(`Failed:\n${names.map((name) => `  ${name}`).join('\n')}`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
