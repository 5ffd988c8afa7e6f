import { readFileSync } from 'node:fs'
import { checkNode } from './lib/checkNode.mjs'

const usage = `Usage: node scripts/surface.mjs > FILE
       node scripts/surface.mjs --against FILE

What the packages export and weigh, as JSON; or, as Markdown for a pull request, how that differs from such a file of another commit.`

checkNode()
const [option, file, ...rest] = process.argv.slice(2)
if ((option !== undefined && (option !== '--against' || !file)) || rest.length > 0) {
  console.log(usage)
  process.exitCode = option === '--help' ? 0 : 2
} else {
  const { ensureReady } = await import('./lib/ensureReady.mjs')
  await ensureReady(console.error)
  const { compareSurfaces, readSurface } = await import('./lib/surface.mjs')
  const surface = await readSurface()
  if (option) console.log(compareSurfaces(JSON.parse(readFileSync(file, 'utf8')), surface))
  else console.log(JSON.stringify(surface))
}
