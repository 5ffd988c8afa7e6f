// Builds each frame into the server's pages, or into the folder given as argument: index.html, one script, one style
// sheet. Builds are reproducible, and hashes.json lists the hashes of all files.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the workspace root.
import { build } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const out = process.argv[2] ? resolve(process.argv[2]) : here('../server/pages')

/** Stub for Node's `crypto`, which the HPKE library imports only if the global is missing. Browsers always have it. */
const noNodeCrypto = {
  name: 'no-node-crypto',
  enforce: 'pre',
  resolveId: (id) => (id === 'crypto' || id === 'node:crypto' ? '\0crypto' : null),
  load: (id) => (id === '\0crypto' ? 'export const webcrypto = globalThis.crypto' : null),
}

const pages = ['auth', 'confirm', 'export', 'export-and-sign', 'import', 'oauth', 'paper-key']

const hashFile = (path) => `sha256-${createHash('sha256').update(readFileSync(path)).digest('base64')}`

/**
 * Adds the hashes of script and style sheet to the HTML, so that browsers reject a file that the server has changed.
 */
function addIntegrity(folder) {
  const path = join(folder, 'index.html')
  const html = readFileSync(path, 'utf8').replace(
    /(?:src|href)="\.\/([^"]+)"/g,
    (reference, name) => `${reference} integrity="${hashFile(join(folder, name))}"`,
  )
  writeFileSync(path, html)
}

for (const page of pages) {
  await build({
    configFile: false,
    root: here(`./pages/${page}`),
    base: './',
    logLevel: 'warn',
    plugins: [noNodeCrypto],
    resolve: { conditions: ['@latchkey/source', 'module', 'browser', 'default'] },
    build: {
      outDir: resolve(out, page),
      emptyOutDir: true,
      assetsDir: '',
      target: 'es2022',
      modulePreload: false,
      assetsInlineLimit: 0,
      rolldownOptions: {
        output: {
          codeSplitting: false,
          entryFileNames: `${page}-[hash].js`,
          assetFileNames: `${page}-[hash][extname]`,
        },
      },
    },
  })
}

const hashes = pages.flatMap((page) => {
  const folder = join(out, page)
  addIntegrity(folder)
  return readdirSync(folder)
    .sort()
    .map((name) => [`${page}/${name}`, hashFile(join(folder, name))])
})
writeFileSync(join(out, 'hashes.json'), `${JSON.stringify(Object.fromEntries(hashes), null, 2)}\n`)
