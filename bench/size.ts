import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'vite'
import { measureFirstLoad } from './firstLoad.ts'
import type { Measure, Result } from './types.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The smallest import a person would write for each job. */
const imports = [
  ['accounts/toLightAccount', 'latchkey/accounts', '{ toLightAccount }'],
  ['signer/createSigner', 'latchkey/signer', '{ createSigner }'],
  ['createConfig', 'latchkey', '{ createConfig }'],
  [
    'react',
    'latchkey/react',
    '{ LatchkeyProvider, useAuthModal, useUser, useSmartAccountClient, useSendUserOperation }',
  ],
] as const

/** Every page that uses them has these anyway. */
const peers = ['react', 'react-dom', '@tanstack/react-query']

/**
 * kB (1000 bytes, gzip -9) a page loads for an import, from the built packages, without React and its query library;
 * once with viem and once without, since many pages have that, too; here with all that is loaded later. Then the frames' scripts,
 * and what whole pages load before and after a press.
 */
export const measure: Measure = async ({ log }) => {
  const results: Result[] = []
  for (const [name, from, names] of imports) {
    log(`${name} …`)
    const code = `import ${names} from '${from}'\nconsole.log(${names})`
    const [whole, own] = [await bundle(code, peers), await bundle(code, [...peers, 'viem'])]
    results.push({ name, value: kiloBytes(whole), unit: 'kB' })
    results.push({ name: `${name} without viem`, value: kiloBytes(own), unit: 'kB' })
  }
  for (const page of ['auth', 'export', 'import']) {
    results.push({ name: `${page} frame`, value: kiloBytes(frameScript(page)), unit: 'kB' })
  }
  log('pages …')
  return [...results, ...(await measureFirstLoad())]
}

function kiloBytes(code: string): number {
  return Math.round(gzipSync(code, { level: 9 }).length / 10) / 100
}

function frameScript(page: string): string {
  const folder = join(root, 'packages/server/pages', page)
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'))
  return scripts.map((name) => readFileSync(join(folder, name), 'utf8')).join('')
}

async function bundle(code: string, external: readonly string[]): Promise<string> {
  const entry = join(root, 'bench-entry.js')
  const virtual: Plugin = {
    name: 'entry',
    enforce: 'pre',
    resolveId: (id) => (id === entry ? id : null),
    load: (id) => (id === entry ? code : null),
  }
  const output = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [virtual],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        external: (id: string) => external.some((name) => id === name || id.startsWith(`${name}/`)),
        output: { codeSplitting: false },
      },
    },
  })
  const outputs = Array.isArray(output) ? output : [output]
  return outputs
    .flatMap((part) => ('output' in part ? part.output : []))
    .map(readCode)
    .join('')
}

function readCode(part: { type: string; code?: string }): string {
  return part.type === 'chunk' ? (part.code ?? '') : ''
}
