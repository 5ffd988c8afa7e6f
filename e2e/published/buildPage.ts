import { buildScript } from '@latchkey/testkit/buildScript'

/** The script of `page.ts` with all that it imports. */
export function buildPage(): Promise<string> {
  const define = { 'process.env.NODE_ENV': '"production"', global: 'globalThis' }
  return buildScript(new URL('./page.ts', import.meta.url), { define })
}
