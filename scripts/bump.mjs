import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkNode } from './lib/checkNode.mjs'

const usage = `Usage: npm run bump

Takes the files of .changeset: gives all packages, templates, examples and deploy files their next version, dates the changelog's 'Unreleased' and writes the
lockfile. Commit what it wrote and tag it vX.Y.Z: .github/workflows/release.yml publishes the tag.`

checkNode()
if (process.argv.length > 2) {
  console.log(usage)
  process.exit(process.argv[2] === '--help' ? 0 : 2)
}
const { installFolder } = await import('./lib/ensureInstalled.mjs')
const { root, runNode, runNpm } = await import('./lib/run.mjs')
const { listFiles } = await import('./lib/sources.mjs')
const folder = join(root, 'e2e/packaging')
const readVersion = () => JSON.parse(readFileSync(join(root, 'packages/latchkey/package.json'), 'utf8')).version

if (!(await installFolder(folder, console.log, { what: 'changesets', args: ['--ignore-scripts'] }))) process.exit(1)
const before = readVersion()
const { code } = await runNode([join(folder, 'node_modules/@changesets/cli/bin.js'), 'version'])
const version = readVersion()
if (code !== 0 || version === before) {
  console.error('No version was made: is there a file in .changeset? `npm run change` writes one.')
  process.exit(1)
}
const named = /^(packages\/create\/templates\/.*package\.json|examples\/\w+\/package\.json|deploy\/.*)$/
for (const path of listFiles('package.json', 'Dockerfile', '.yaml', '.yml').filter((path) => named.test(path)))
  edit(path, (text) =>
    text.replace(new RegExp(`(latchkey.*)${before.replaceAll('.', '\\.')}`, 'g'), replaceAll(before, version)),
  )
edit('deploy/helm/latchkey/Chart.yaml', (text) => text.replace(/^((?:appV|v)ersion: ).*$/gm, `$1${version}`))
edit('packages/protocol/src/headers.ts', (text) => text.replace(/(productVersion = ')[^']+/, `$1${version}`))
const day = new Date().toISOString().slice(0, 10)
edit('CHANGELOG.md', (text) => text.replace(/^## Unreleased$/m, `## Unreleased\n\n## ${version} (${day})`))
await runNpm(['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
console.log(`Version ${version}. Look at the changes, commit them, and tag the commit v${version}.`)

function replaceAll(from, to) {
  return (line) => line.replaceAll(from, to)
}

function edit(path, change) {
  const file = join(root, path)
  writeFileSync(file, change(readFileSync(file, 'utf8')))
}
