import { fileURLToPath } from 'node:url'
import { build, type Rolldown } from 'vite'

/** The script of `page.ts` with all that it imports. */
export async function buildPage(): Promise<string> {
  const output = (await build({
    configFile: false,
    logLevel: 'error',
    define: { 'process.env.NODE_ENV': '"production"', global: 'globalThis' },
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: fileURLToPath(new URL('./page.ts', import.meta.url)),
        output: { codeSplitting: false },
      },
    },
  })) as Rolldown.RolldownOutput
  return output.output[0].code
}
