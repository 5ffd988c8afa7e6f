import { checkNode } from './lib/checkNode.mjs'

checkNode()
const args = process.argv.slice(2)
const engineAt = args.indexOf('--engine')
const [, engine] = engineAt === -1 ? [] : args.splice(engineAt, 2)
const unknown = args.find((argument) => !['--json', '--full', '--cross-site'].includes(argument))
const isKnownEngine = engineAt === -1 || ['chromium', 'firefox', 'webkit'].includes(engine)
if (unknown !== undefined || !isKnownEngine) {
  const usage = 'npm run tour [-- [--full | --cross-site | --engine chromium|firefox|webkit] [--json]]'
  console.error(`${isKnownEngine ? `Unknown option ${unknown}` : `Unknown engine ${engine}`}\n\nUsage: ${usage}`)
  process.exit(2)
}
if (process.argv.includes('--full') && process.argv.includes('--cross-site')) {
  console.error('--full and --cross-site are two tours.')
  process.exit(2)
}
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.error)
if (engine) {
  await (await import('./lib/ensureProgram.mjs')).ensureProgram(engine, console.error)
  const { runEngineTour } = await import('../e2e/dist/engines/runEngineTour.js')
  process.exit(await runEngineTour({ name: engine, json: process.argv.includes('--json') }))
}
const { ensureChromium } = await import('./lib/ensureChromium.mjs')
await ensureChromium(console.error)
const { runTour } = await import('../e2e/dist/runTour.js')
process.exitCode = await runTour({
  json: process.argv.includes('--json'),
  full: process.argv.includes('--full'),
  crossSite: process.argv.includes('--cross-site'),
})
