import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listDependencies, published } from './dependencies.mjs'
import { root, runNpm } from './run.mjs'

/**
 * The bill of materials of what we publish (CycloneDX), by npm from the lockfile: an object. npm's `--omit dev` also leaves out what
 * a server needs and a test too, so npm lists all and our own walk says what belongs. Without time, serial number and
 * folder, so that one commit makes one bill.
 */
export async function makeSbom() {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel=error']
  const { code, output } = await runNpm(args, { capture: true, limit: 2 ** 24 })
  const begin = output.indexOf('{\n')
  if (code !== 0 || begin < 0) throw new TypeError(`npm sbom ended with code ${code}: ${output.slice(0, 400)}`)
  const { serialNumber: _, metadata, components, dependencies, ...bill } = JSON.parse(output.slice(begin))
  const own = published.map((path) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')))
  const names = new Map(own.map(({ name, version }) => [`${name}@${version}`, name]))
  const belongs = new Set([...names.keys(), ...listDependencies().map(({ name, version }) => `${name}@${version}`)])
  const { timestamp: __, component, ...about } = metadata
  return {
    ...bill,
    metadata: { ...about, component: { ...component, name: 'latchkey' } },
    components: components
      .filter((one) => belongs.has(one['bom-ref']))
      // npm names a workspace after its folder.
      .map((one) => ({ ...one, name: names.get(one['bom-ref']) ?? one.name })),
    dependencies: dependencies
      .filter(({ ref }) => belongs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => belongs.has(one)) })),
  }
}
