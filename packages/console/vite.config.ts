import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

export default defineConfig({
  // The console's pages have URL paths, so asset URLs start at the root.
  base: '/',
  plugins: [react()],
  resolve: { conditions: ['@latchkey/source', ...defaultClientConditions] },
  build: {
    outDir: fileURLToPath(new URL('../server/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows data URLs only for images.
    assetsInlineLimit: 0,
  },
})
