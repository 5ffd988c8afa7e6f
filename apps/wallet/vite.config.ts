import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

// `npm run dev` serves the page with hot reload and the devnet's configuration.
const wallet = process.env.LATCHKEY_WALLET_URL ?? 'http://localhost:4100'

export default defineConfig({
  base: './',
  plugins: [react()],
  resolve: { conditions: ['@latchkey/source', ...defaultClientConditions] },
  server: { host: '127.0.0.1', proxy: { '/config.json': wallet } },
  build: {
    outDir: fileURLToPath(new URL('../../packages/dev/example', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    reportCompressedSize: true,
    // One file contains everything that the first click needs: without HTTP/2, a browser loads only six files at a
    // time.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'index', tags: ['$initial'] }] } } },
  },
})
