import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { checkNode } from './lib/checkNode.mjs'

checkNode()
const { ensureReady } = await import('./lib/ensureReady.mjs')
await ensureReady(console.error)
const { preparePackage } = await import('./lib/pack.mjs')
const { root, runNpm } = await import('./lib/run.mjs')

const tarballs = join(root, '.cache/tarballs')
mkdirSync(tarballs, { recursive: true })
const prepared = [await preparePackage('latchkey'), await preparePackage('server')]
const others = ['protocol', 'exit', 'migrate', 'dev', 'create'].map((name) => join(root, 'packages', name))
for (const folder of [...prepared, ...others]) {
  const { code } = await runNpm(['pack', folder, '--pack-destination', tarballs, '--loglevel=error'])
  if (code !== 0) process.exit(code)
}
console.log(`The tarballs to publish are in ${tarballs}.`)
