import { checkNode } from './lib/checkNode.mjs'

const usage = `Usage: npm run docs [-- --build]

Serves the docs at http://localhost:4180, a page that the devnet knows: its examples run against your own npm start.
--build writes docs/.vitepress/dist instead.`

checkNode()
const options = process.argv.slice(2)
if (options.some((option) => option !== '--build')) {
  console.log(usage)
  process.exitCode = options[0] === '--help' ? 0 : 2
} else {
  const { ensureReady } = await import('./lib/ensureReady.mjs')
  await ensureReady(console.log)
  const { buildDocs, serveDocs } = await import('./lib/docs.mjs')
  const { code } = options.length > 0 ? await buildDocs(console.log) : await serveDocs(console.log)
  process.exitCode = code
}
