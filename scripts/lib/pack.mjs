import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { writeServer } from './packServer.mjs'
import { root } from './run.mjs'
import { sourceStamp } from './sourceStamp.mjs'

// The published `latchkey` has a few files per subpath, with chunks shared between subpaths. The workspace has one file
// per module, which tests, budgets and `tsc -b` need.

/**
 * `pages`: imports of typical pages, the smallest page first. The modules that such a page loads first are in a
 * separate chunk, so that an app's bundler can omit all other modules from the first load. `later`: modules that the
 * last page loads for a sign-in and a send. Their chunks equal those of a bundle of this page alone, and contain no
 * code that only other entries need.
 */
const packages = {
  server: {
    folder: 'packages/server',
    write: writeServer,
    sources: ['dist', 'console', 'pages', 'src'],
  },
  latchkey: {
    folder: 'packages/latchkey',
    write: (from, to, copied) => writeClient(packages.latchkey, from, to, copied),
    sources: ['dist', 'src'],
    copied: ['styles.css', 'styles.css.d.ts', 'dialog.css', 'motion.css', 'owners.css', 'touch.css', 'tokens.css'].map(
      (name) => `src/react/ui/${name}`,
    ),
    pages: {
      store: {
        index: ['createConfig', 'hydrate', 'getSigner', 'createAccount', 'getSmartAccountClient', 'watchSignerStatus'],
        query: ['authenticateMutationOptions', 'sendUserOperationMutationOptions'],
      },
      page: {
        index: ['createConfig'],
        react: ['LatchkeyProvider', 'useAuthModal', 'useUser', 'useSmartAccountClient', 'useSendUserOperation'],
      },
    },
    later: ['AuthDialog', 'OwnerStep', 'createRunner', 'accountParts', 'createBundlerClient'],
  },
}

/**
 * Writes the folder for `npm pack` and `npm publish`, and returns its path. Cached by its inputs: concurrent callers
 * get the same complete folder.
 */
export async function preparePackage(name) {
  const spec = packages[name]
  const from = join(root, spec.folder)
  const copied = ['README.md', 'LICENSE'].filter((file) => existsSync(join(from, file)))
  const sources = [
    ...['package.json', ...spec.sources, ...copied, ...(spec.copied ?? [])].map((path) => `${spec.folder}/${path}`),
    'packages/protocol/dist',
    'packages/protocol/src',
    ...makers,
  ]
  const home = join(root, '.cache/packages')
  const to = join(home, `${name}-${sourceStamp(sources).slice(0, 16)}`)
  if (existsSync(to)) return to
  mkdirSync(home, { recursive: true })
  const own = mkdtempSync(join(home, '.new-'))
  try {
    await spec.write(from, own, copied)
    const isOld = (entry) => entry.startsWith(`${name}-`) && join(home, entry) !== to
    for (const old of readdirSync(home).filter(isOld)) rmSync(join(home, old), { recursive: true, force: true })
    renameSync(own, to)
  } catch (error) {
    rmSync(own, { recursive: true, force: true })
    // Ignores the error if another process has written the folder first.
    if (!existsSync(to)) throw error
  }
  return to
}

/** Files besides the sources that determine a package's content. */
const makers = ['package-lock.json', 'scripts/lib/pack.mjs', 'scripts/lib/packServer.mjs']

async function writeClient(spec, from, to, copied) {
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  const entries = Object.entries(manifest.exports).flatMap(([, { default: path }]) => {
    const found = /^\.\/dist\/exports\/(\w+)\.js$/.exec(path)
    return found ? [found[1]] : []
  })
  await bundleCode(from, to, { entries, ...spec })
  await bundleTypes(from, to, entries)
  for (const path of spec.copied) cpSync(join(from, path), join(to, 'styles', path.split('/').at(-1)))
  for (const file of copied) cpSync(join(from, file), join(to, file))
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(toPublished(manifest), null, 2)}\n`)
}

/** Returns the tarball's manifest, without workspaces and our unpublished packages. */
function toPublished({ private: _, devDependencies, scripts, exports, ...manifest }) {
  const published = Object.entries(exports).map(([subpath, { types, default: path }]) => [
    subpath,
    { types: moved(types), default: moved(path) },
  ])
  return { ...manifest, files: ['dist', 'styles', 'src'], exports: Object.fromEntries(published) }
}

const moved = (path) => path.replace('./dist/exports/', './dist/').replace('./src/react/ui/', './styles/')

/**
 * External imports are resolved where the package is installed. The protocol is bundled, so that the client is one
 * package.
 */
const isExternal = (id) => !/^[./]/.test(id) && !id.startsWith('virtual:') && !/^latchkey-protocol(?:\/|$)/.test(id)

async function bundleCode(from, to, { entries, pages, later }) {
  const exportsPath = join(from, 'dist/exports')
  const lists = []
  for (const [name, imports] of Object.entries(pages)) {
    const output = await buildPage(exportsPath, imports)
    lists.push({ name, modules: listModules(withImports(output, ({ isEntry }) => isEntry)) })
    if (name !== Object.keys(pages).at(-1)) continue
    for (const chunk of withImports(output, ({ name, isDynamicEntry }) => isDynamicEntry && later.includes(name)))
      lists.push({ name: `signIn-${chunk.name}`, modules: listModules([chunk]), apart: chunk.facadeModuleId })
  }
  // Separates modules that import React, since no other subpath may include them.
  const parts = lists.flatMap(({ name, ...list }) => [
    { ...list, name, isReact: false },
    { ...list, name: `${name}-react`, isReact: true },
  ])
  const groups = parts.map(({ name, modules, apart, isReact }, index) => ({
    name,
    priority: parts.length - index,
    // Modules that are loaded by name have unhashed file names.
    test: (id) => modules.has(id) && id !== apart && isReact === id.includes('/dist/react/'),
  }))
  const bundle = await rolldown({
    ...shared,
    input: Object.fromEntries(entries.map((name) => [name, join(exportsPath, `${name}.js`)])),
    preserveEntrySignatures: 'allow-extension',
  })
  await bundle.write({
    dir: join(to, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    comments: { legal: true, annotation: true, jsdoc: false },
    codeSplitting: { groups, includeDependenciesRecursively: false },
  })
  await bundle.close()
}

const shared = {
  platform: 'neutral',
  external: isExternal,
  // Removes imports without bindings, which are only styles.
  treeshake: { moduleSideEffects: false },
  // Omits comments with module paths.
  experimental: { attachDebugInfo: 'none' },
  // Disables two warnings: the app's bundler decides on splitting, and an entry's directive must remain its first line.
  checks: { ineffectiveDynamicImport: false, moduleLevelDirective: false },
}

/** Returns a page's chunks for these imports, as an app's bundler would build them. */
async function buildPage(exportsPath, imports) {
  const id = 'virtual:page'
  const names = Object.entries(imports).map(([entry, list]) => [list, join(exportsPath, `${entry}.js`)])
  const code = names.map(([list, path]) => `export { ${list.join(', ')} } from ${JSON.stringify(path)}`).join('\n')
  const bundle = await rolldown({
    ...shared,
    input: id,
    plugins: [
      { name: 'page', resolveId: (name) => (name === id ? id : null), load: (name) => (name === id ? code : null) },
    ],
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  return output
}

/** Returns the wanted chunks and all their static imports. */
function withImports(output, isWanted) {
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]))
  const found = new Set()
  const add = (chunk) => {
    if (!chunk || found.has(chunk)) return
    found.add(chunk)
    for (const next of chunk.imports) add(chunks.get(next))
  }
  output.filter(isWanted).forEach(add)
  return [...found]
}

function listModules(chunks) {
  return new Set(
    chunks.flatMap(({ modules }) => Object.keys(modules).filter((path) => modules[path].renderedLength > 0)),
  )
}

/**
 * Bundles the declarations with maps that lead editors to the sources in `src`. Omits sources that no map references.
 */
async function bundleTypes(from, to, entries) {
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(from, 'dist/exports', `${name}.d.ts`)])),
    external: isExternal,
    checks: { pluginTimings: false },
    plugins: [loadTypeMaps, dts({ dtsInput: true, generator: 'oxc', sourcemap: true, tsconfig: false })],
  })
  const { output } = await bundle.write({
    dir: join(to, 'dist'),
    format: 'esm',
    entryFileNames: '[name].ts',
    chunkFileNames: 'chunks/[name].ts',
  })
  await bundle.close()
  for (const { fileName, source } of output.filter((file) => file.fileName.endsWith('.d.ts.map'))) {
    const home = dirname(join(to, 'dist', fileName))
    const map = JSON.parse(source)
    map.sources = map.sources.map((path) => relative(home, copySource(resolve(home, path), from, to)))
    writeFileSync(join(to, 'dist', fileName), JSON.stringify(map))
  }
}

/** Loads each declaration with the compiler's map, so that the bundle's maps lead to the sources. */
const loadTypeMaps = {
  name: 'type maps',
  load: {
    filter: { id: /\.d\.ts$/ },
    handler(id) {
      const map = JSON.parse(readFileSync(`${id}.map`, 'utf8'))
      map.sources = map.sources.map((path) => join(dirname(id), path))
      return { code: readFileSync(id, 'utf8'), map }
    },
  },
}

/**
 * Copies a source into the package and returns its path there. Sources of the bundled protocol go to `src/protocol`.
 */
function copySource(path, from, to) {
  const own = join(from, 'src')
  const target = path.startsWith(own)
    ? join(to, 'src', relative(own, path))
    : join(to, 'src/protocol', relative(join(root, 'packages/protocol/src'), path))
  cpSync(path, target)
  return target
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await preparePackage(process.argv[2] ?? 'latchkey'))
