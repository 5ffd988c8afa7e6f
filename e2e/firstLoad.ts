import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { launchBrowser } from 'latchkey-dev/testing'
import { build, type Plugin, type Rolldown } from 'vite'

/** Baseline page with only React and TanStack Query. */
const basePage = `
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import { QueryClient, QueryClientProvider, useMutation, useQuery } from '@tanstack/react-query'
const client = new QueryClient()
function App() {
  const { data } = useQuery({ queryKey: ['a'], queryFn: async () => 1 })
  const { mutate } = useMutation({ mutationFn: async () => 2 })
  return h('button', { onClick: () => mutate() }, String(data))
}
createRoot(document.getElementById('root')).render(h(QueryClientProvider, { client }, h(App)))
`

const signInPage = (rest: string) => `
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'
import { createConfig } from 'latchkey'
import { sepolia } from 'latchkey/chains'
import { LatchkeyProvider, useAuthModal, useSendUserOperation, useSmartAccountClient, useUser } from 'latchkey/react'
${rest}
const config = createConfig({ chain: sepolia, apiKey: 'key' })
function App() {
  const { openAuthModal, triggerProps } = useAuthModal()
  const user = useUser()
  const { client, address } = useSmartAccountClient({ type: 'LightAccount' })
  const { sendUserOperation } = useSendUserOperation({ client })
  const act = () => (address ? sendUserOperation({ uo: { target: address, data: '0x' } }) : openAuthModal())
  return h('button', { ...triggerProps, onClick: act }, user ? 'Send' : 'Sign in')
}
createRoot(document.getElementById('root')).render(h(LatchkeyProvider, { config, uiConfig: {} }, h(App)))
`

const withStyles = "import 'latchkey/styles.css'"

/**
 * Chunks for an e-mail sign-in and for sending with a LightAccount. `serverRendering.test.ts` checks that no others are
 * loaded.
 */
export const signInModules: readonly string[] = ['AuthDialog', 'mailProviders', 'createRunner', 'accountParts']

export type Built = readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]

export type FirstLoad = Record<'base' | 'overBase' | 'initial' | 'beforeClick' | 'all', number>

/**
 * Returns the size of the scripts that a page loads in kB (1000 bytes, gzip -9). Builds with Vite in a folder where
 * `latchkey` is installed.
 */
export async function measureFirstLoad(root: string): Promise<FirstLoad> {
  const base = kiloBytes(firstFiles(await buildPage(root, basePage)))
  const hooks = kiloBytes(firstFiles(await buildPage(root, signInPage(''))))
  const page = await buildPage(root, signInPage(withStyles))
  return {
    base,
    overBase: round(hooks - base),
    initial: kiloBytes(firstFiles(page)),
    beforeClick: kiloBytes(await fetchedFiles(page)),
    all: kiloBytes(signInFiles(page)),
  }
}

/** Returns `all` of {@link measureFirstLoad}, from one build and without a browser. */
export async function measureSignIn(root: string): Promise<number> {
  return kiloBytes(signInFiles(await buildPage(root, signInPage(withStyles))))
}

async function buildPage(root: string, code: string): Promise<Built> {
  const id = join(root, 'bench-page.js')
  const virtual: Plugin = {
    name: 'page',
    enforce: 'pre',
    resolveId: (name) => (name === id ? id : null),
    load: (name) => (name === id ? code : null),
  }
  const output = await build({
    root,
    configFile: false,
    logLevel: 'silent',
    plugins: [virtual],
    // Builds for production, as apps are deployed.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, rolldownOptions: { input: id } },
  })
  return (Array.isArray(output) ? output : [output]).flatMap((part) => ('output' in part ? part.output : []))
}

/** Returns the entry, its static imports and the style sheets. */
export function firstFiles(built: Built): Built {
  return withImports(built, (chunk) => chunk.isEntry)
}

function signInFiles(built: Built): Built {
  const isNeeded = ({ name, isEntry }: Rolldown.OutputChunk) => isEntry || signInModules.includes(name)
  const missing = signInModules.filter((name) => !built.some((file) => file.type === 'chunk' && file.name === name))
  if (missing.length > 0) throw new TypeError(`No chunk is named ${missing.join(', ')}.`)
  return withImports(built, isNeeded)
}

function withImports(built: Built, isFirst: (chunk: Rolldown.OutputChunk) => boolean): Built {
  const names = new Set<string>()
  const add = (name: string) => {
    if (names.has(name)) return
    names.add(name)
    const file = built.find((each) => each.fileName === name)
    if (file?.type === 'chunk') for (const next of file.imports) add(next)
  }
  for (const file of built)
    if (file.type === 'asset' ? file.fileName.endsWith('.css') : isFirst(file)) add(file.fileName)
  return built.filter((file) => names.has(file.fileName))
}

export async function buildSignInPage(root: string): Promise<{ built: Built; html: string }> {
  const built = await buildPage(root, signInPage(withStyles))
  return { built, html: toHtml(built) }
}

function toHtml(built: Built): string {
  const entry = built.find((file) => file.type === 'chunk' && file.isEntry)?.fileName
  const styles = built.filter(({ fileName }) => fileName.endsWith('.css'))
  const links = styles.map(({ fileName }) => `<link rel="stylesheet" href="/${fileName}">`).join('')
  return `<!doctype html><link rel="icon" href="data:,">${links}<div id="root"></div><script type="module" src="/${entry}"></script>`
}

async function fetchedFiles(built: Built): Promise<Built> {
  const html = toHtml(built)
  const fetched = new Set<string>()
  const server = createServer((request, response) => {
    const file = built.find(({ fileName }) => `/${fileName}` === request.url)
    if (file) fetched.add(file.fileName)
    const type = file ? (file.type === 'chunk' ? 'text/javascript' : 'text/css') : 'text/html'
    response.setHeader('content-type', type)
    response.end(file ? readContent(file) : html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await launchBrowser()
  try {
    const tab = await browser.newPage()
    await tab.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { waitUntil: 'networkidle' })
    await tab.getByRole('button', { name: 'Sign in' }).waitFor()
    await tab.waitForTimeout(2000)
  } finally {
    await browser.close()
    server.close()
  }
  return built.filter(({ fileName }) => fetched.has(fileName))
}

function readContent(file: Built[number]): string | Uint8Array {
  return file.type === 'chunk' ? file.code : file.source
}

export function kiloBytes(files: Built): number {
  return round(files.reduce((sum, file) => sum + gzipSync(readContent(file), { level: 9 }).length, 0) / 1000)
}

const round = (value: number) => Math.round(value * 100) / 100
