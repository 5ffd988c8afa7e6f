import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkNode } from './lib/checkNode.mjs'

checkNode()
const [folder = '.cache/report', ...rest] = process.argv.slice(2)
if (folder.startsWith('-') || rest.length > 0) {
  console.error('Usage: npm run report [-- FOLDER]')
  process.exit(2)
}
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.error)
const { exceptions, findLicenceFaults, listDependencies } = await import('./lib/dependencies.mjs')
const { makeSbom } = await import('./lib/makeSbom.mjs')
const { findSecrets, listScanned } = await import('./lib/secrets.mjs')
const { findLateUpdates, listDirect, readReview } = await import('./lib/updates.mjs')
const { root } = await import('./lib/run.mjs')

const to = join(root, folder)
mkdirSync(to, { recursive: true })
const dependencies = listDependencies()
const scanned = listScanned()
const late = findLateUpdates(listDirect(), readReview(), new Date().toISOString())
const faults = [...findLicenceFaults(dependencies), ...findSecrets(scanned), ...late]
writeFileSync(join(to, 'dependencies.md'), toTable(dependencies))
writeFileSync(join(to, 'sbom.cdx.json'), `${JSON.stringify(await makeSbom(), null, 2)}\n`)
for (const fault of faults) console.error(`  ${fault}`)
console.log(`${dependencies.length} packages and ${scanned.length} files, ${faults.length} faults: ${to}`)
process.exitCode = faults.length === 0 ? 0 : 1

function toTable(list) {
  const lines = list.map(({ name, version, license, neededBy }) => {
    const note = exceptions[name] ? ` (${exceptions[name]})` : ''
    return `| ${name} | ${version} | ${license}${note} | ${neededBy.map((path) => path.split('/').at(-1)).join(', ')} |`
  })
  return `# What an installation brings\n\n| package | version | licence | needed by |\n|---|---|---|---|\n${lines.join('\n')}\n`
}
