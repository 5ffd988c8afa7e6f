import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'vite'
import { measurePeers } from './peers.ts'
import type { Measure, Result } from './types.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The smallest import that a developer would write for each task. */
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

/** Libraries that every page with these imports already has. */
const peers = ['react', 'react-dom', '@tanstack/react-query']

/**
 * Measures the kB (1000 bytes, gzip -9) that a page loads for an import from the built packages, including everything
 * loaded later. Excludes React and its query library. Measures with and without viem, which many pages already have.
 * Also measures the frames' scripts, the bytes that whole pages load before and after a click with the published
 * package, and the first loads of other wallets' pages.
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
  return [...results, ...(await measurePages()), ...(await measurePeers(log))]
}

async function measurePages(): Promise<Result[]> {
  const packed = execFileSync(process.execPath, [join(root, 'scripts/lib/pack.mjs')], { encoding: 'utf8' }).trim()
  const page = join(root, '.cache/bench-page')
  rmSync(page, { recursive: true, force: true })
  cpSync(packed, join(page, 'node_modules/latchkey'), { recursive: true })
  // Imports the built file, since the module belongs to another project.
  const module: typeof import('../e2e/firstLoad.ts') = await import(join(root, 'e2e/dist/firstLoad.js'))
  const { base, overBase, initial, beforeClick, all } = await module.measureFirstLoad(page)
  return [
    { name: 'react/base', value: base, unit: 'kB' },
    { name: 'react/hooks/over-base', value: overBase, unit: 'kB' },
    { name: 'react/sign-in/initial', value: initial, unit: 'kB' },
    { name: 'react/sign-in/before-click', value: beforeClick, unit: 'kB' },
    { name: 'react/sign-in/all', value: all, unit: 'kB' },
  ]
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
