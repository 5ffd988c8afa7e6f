import { checkNode } from './lib/checkNode.mjs'

const usage =
  'npm run check: installs and builds what is missing, then runs every check but the tests. It takes no options.'

checkNode()
if (process.argv.length > 2) {
  console.log(usage)
  process.exitCode = process.argv[2] === '--help' ? 0 : 2
} else {
  const { ensureReady } = await import('./lib/ensureReady.mjs')
  await ensureReady(console.log)
  const { runChecks } = await import('./lib/checks.mjs')
  const { failed } = await runChecks()
  process.exitCode = failed === 0 ? 0 : 1
}
