import { checkNode } from './lib/checkNode.mjs'

checkNode()
const unknown = process.argv.slice(2).filter((argument) => !['--json', '--full'].includes(argument))
if (unknown.length > 0) {
  console.error(`Unknown option ${unknown[0]}\n\nUsage: npm run tour [-- [--full] [--json]]`)
  process.exit(2)
}
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.error)
const { ensureChromium } = await import('./lib/ensureChromium.mjs')
await ensureChromium(console.error)
const { runTour } = await import('../e2e/dist/runTour.js')
process.exitCode = await runTour({
  json: process.argv.includes('--json'),
  full: process.argv.includes('--full'),
})
