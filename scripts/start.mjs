import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { endWithNpm } = await import('./lib/endWithNpm.mjs')
endWithNpm()
const say = process.argv.includes('--json') ? console.error : console.log
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(say, { goals: ['start'] })
const { buildLater } = await import('./lib/buildLater.mjs')
buildLater(say)
// The devnet runs in this process, so that signals reach it and `ready in N s` counts from the start of the command.
await import('../packages/dev/dist/cli/main.js')
