import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.log)
