import { buildScript } from '@latchkey/testkit/buildScript'

/** Builds the script of `page.ts`. `moved` resolves its imports to Latchkey's client. */
export function buildPage({ moved = false } = {}): Promise<string> {
  const define = { 'process.env.NODE_ENV': '"production"', global: 'globalThis' }
  const alias = moved ? { '@alchemy/aa-alchemy': 'latchkey/compat' } : {}
  const conditions = ['@latchkey/source', 'module', 'browser']
  return buildScript(new URL('./page.ts', import.meta.url), { define, resolve: { alias, conditions } })
}
