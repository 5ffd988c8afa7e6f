// Builds each frame into the server's pages, or into the folder given as argument: index.html, one script, one style
// sheet. Same sources, same bytes.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
// biome-ignore lint/correctness/noUndeclaredDependencies: a tool of the workspace root.
import { build } from 'vite'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const out = process.argv[2] ? resolve(process.argv[2]) : here('../server/pages')

/** The HPKE library asks Node's `crypto` only where the global is missing: in a page it never is. */
const noNodeCrypto = {
  name: 'no-node-crypto',
  enforce: 'pre',
  resolveId: (id) => (id === 'crypto' || id === 'node:crypto' ? '\0crypto' : null),
  load: (id) => (id === '\0crypto' ? 'export const webcrypto = globalThis.crypto' : null),
}

for (const page of ['auth', 'export', 'import']) {
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
