import { buildScript } from '@latchkey/testkit/buildScript'

/** The script of `page.ts` with all that it imports; `moved`: as an app has it once its imports are ours. */
export function buildPage({ moved = false } = {}): Promise<string> {
  const define = { 'process.env.NODE_ENV': '"production"', global: 'globalThis' }
  const alias = moved ? { '@alchemy/aa-alchemy': 'latchkey/compat' } : {}
  const conditions = ['@latchkey/source', 'module', 'browser']
  return buildScript(new URL('./page.ts', import.meta.url), { define, resolve: { alias, conditions } })
}
