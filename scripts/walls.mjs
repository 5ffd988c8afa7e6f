import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { programPath, runNode } = await import('./lib/run.mjs')
const { wallFiles, writeWalls } = await import('./lib/walls.mjs')
writeWalls()
const files = wallFiles().map(([path]) => path)
await runNode([programPath('@biomejs/biome', 'biome'), 'format', '--write', ...files], { quiet: true })
