import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { ensureReady } = await import('./lib/ensureReady.mjs')
// `npm start` builds the rest while the wallet is already running.
await ensureReady(console.log, process.argv.includes('--after-start') ? { goals: ['afterStart'] } : {})
