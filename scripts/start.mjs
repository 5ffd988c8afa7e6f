import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { endWithNpm } = await import('./lib/endWithNpm.mjs')
endWithNpm()
const json = process.argv.includes('--json')
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(json ? console.error : console.log)
// In this process, so that signals reach it and `ready in N s` counts from the start of the command.
await import('../packages/dev/dist/cli/main.js')
