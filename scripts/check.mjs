import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.log)
const { runChecks } = await import('./lib/checks.mjs')
const { failed } = await runChecks()
process.exitCode = failed === 0 ? 0 : 1
