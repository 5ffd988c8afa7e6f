import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Modules, with the packages that are bundled into them. Most dependencies of these packages serve only their own
 * command lines.
 */
const bundled = { 'dist/platform/database/graphileWorker': 'graphile-worker' }

/** Replaces graphile-worker's search for configuration files, which the server does not have. */
const withoutFiles = 'export const cosmiconfigSync = () => ({ search: () => null })'

/**
 * Writes the published `latchkey-server`: its own files, and one bundled file for each package that it does not
 * install.
 */
export async function writeServer(from, to, copied) {
  const { scripts, ...manifest } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  const folders = manifest.files.filter((path) => !path.startsWith('!'))
  for (const path of [...folders, ...copied]) cpSync(join(from, path), join(to, path), { recursive: true })
  for (const [path, name] of Object.entries(bundled)) {
    await bundlePackage(join(from, `${path}.js`), join(to, path))
    delete manifest.dependencies[name]
  }
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

async function bundlePackage(input, path) {
  const bundle = await rolldown({
    input,
    platform: 'node',
    external: ['pg'],
    plugins: [
      {
        name: 'without configuration files',
        resolveId: { filter: { id: /^cosmiconfig$/ }, handler: (id) => `\0${id}` },
        load: { filter: { id: /^\0cosmiconfig$/ }, handler: () => withoutFiles },
      },
    ],
  })
  const { output } = await bundle.write({ file: `${path}.js`, format: 'esm', codeSplitting: false })
  await bundle.close()
  for (const ending of ['.js.map', '.d.ts.map']) rmSync(`${path}${ending}`, { force: true })
  writeFileSync(`${path}.licenses.txt`, readLicenses(Object.keys(output[0].modules)))
}

/** Returns the licenses of the packages that contain the given modules. */
function readLicenses(modules) {
  const folders = modules.map((id) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1])
  const texts = [...new Set(folders.filter(Boolean))].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt'].find((one) => existsSync(join(folder, one)))
    if (!file) throw new Error(`${name} has no license file, which its copies must include.`)
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}
