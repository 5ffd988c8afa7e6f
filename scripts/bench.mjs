import { checkNode } from './lib/checkNode.mjs'

checkNode()
/** A measurement is a file of bench/ that exports `measure()`. */
const names = ['console', 'custody', 'dev', 'gas', 'gateway', 'kit', 'page', 'roundtrips', 'send', 'signer', 'size']
const json = process.argv.includes('--json')
const [name, ...rest] = process.argv.slice(2).filter((argument) => argument !== '--json')
if (!names.includes(name) || rest.length > 0) {
  console.error(`Usage: npm run bench -- NAME [--json]\n\nNAME is one of: ${names.join(', ')}`)
  process.exit(2)
}
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.error)
if (name === 'roundtrips') {
  const { installInBackground } = await import('./lib/installForTests.mjs')
  const folders = ['compat/published', 'compat/published/infra']
  await installInBackground(folders, console.error)(folders)
}
const { measure } = await import(`../bench/dist/${name}.js`)
const results = await measure({ log: console.error })
if (json) {
  console.log(JSON.stringify({ name, at: new Date().toISOString(), results }))
} else {
  const width = Math.max(...results.map((result) => result.name.length))
  const rows = results.map(
    (result) => `  ${result.name.padEnd(width)}  ${String(result.value).padStart(9)} ${result.unit}`,
  )
  console.log(`${name}\n${rows.join('\n')}`)
}
