import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { test } from '@latchkey/testkit/worker'
import viteReact from '@vitejs/plugin-react'
import type { Browser } from 'playwright-core'
import { build, type InlineConfig, type Rolldown } from 'vite'
import { afterAll, expect } from 'vitest'
import { toCookieText } from '../wallet/cookies/cookieText.ts'
import { toSignerStatus } from '../wallet/store/clientState.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const name = 'alchemy-account-state'

/** The page, for the server and for the browser. Its second part is hydrated when `window.goOn` is called. */
const app = `
import { lazy, StrictMode, Suspense } from 'react'
import { cookieStorage } from '/src/wallet/cookies/cookieStorage.ts'
import { createConfig } from '/src/wallet/createConfig.ts'
import { latchkeyDev } from '/src/core/chains/latchkeyDev.ts'
import { latchkeyEndpoints } from '/src/signer/endpoints.ts'
import { LatchkeyProvider } from '/src/react/LatchkeyProvider.ts'
import { useAccount } from '/src/react/hooks/useAccount.ts'
import { useAuthModal } from '/src/react/hooks/useAuthModal.ts'
import { useChain } from '/src/react/hooks/useChain.ts'
import { useSession } from '/src/react/hooks/useSession.ts'
import { useSigner } from '/src/react/hooks/useSigner.ts'
import { useSignerStatus } from '/src/react/hooks/useSignerStatus.ts'
import { useSmartAccountClient } from '/src/react/hooks/useSmartAccountClient.ts'
import { useUser } from '/src/react/hooks/useUser.ts'

const other = { ...latchkeyDev, id: 31338, name: 'Other' }
export const makeConfig = (ssr) => createConfig({
  chain: latchkeyDev,
  connections: [latchkeyDev, other].map((chain) => ({ chain, apiKey: 'key' })),
  signerConnection: { apiKey: 'key' },
  endpoints: latchkeyEndpoints('http://127.0.0.1:9'),
  ssr,
  storage: cookieStorage,
})

function Person({ label }) {
  const user = useUser()
  const { chain } = useChain()
  const { status } = useSignerStatus()
  const { address } = useAccount({ type: 'LightAccount' })
  const client = useSmartAccountClient({ type: 'LightAccount' })
  const { isOpen } = useAuthModal()
  const { secondsLeft } = useSession()
  const text = [user?.email ?? 'no one', chain.id, address ?? 'none', client.address ?? 'none', String(useSigner() === null), isOpen, secondsLeft ?? '-', status]
  return <output aria-label={label}>{text.join('|')}</output>
}

const gate = globalThis.document ? new Promise((resolve) => { window.goOn = resolve }) : Promise.resolve()
const Late = lazy(async () => { await gate; return { default: Person } })

export function App({ config, initialState }) {
  return (
    <StrictMode>
      <LatchkeyProvider config={config} initialState={initialState} uiConfig={{}}>
        <Person label="first" />
        <Suspense fallback="wait"><Late label="late" /></Suspense>
      </LatchkeyProvider>
    </StrictMode>
  )
}
`

const clientEntry = `
import { hydrateRoot } from 'react-dom/client'
import { App, makeConfig } from 'virtual:app.tsx'
import { parseInitialState } from '/src/wallet/cookies/stateScript.ts'
const initialState = parseInitialState(document.getElementById('state').textContent)
const config = makeConfig(location.pathname !== '/without-ssr')
window.seen = []
new MutationObserver(() => window.seen.push(document.querySelector('output')?.textContent)).observe(document, { subtree: true, childList: true, characterData: true })
window.root = hydrateRoot(document.getElementById('root'), <App config={config} initialState={initialState} />)
`

const serverEntry = `
import { renderToPipeableStream } from 'react-dom/server'
import { Writable } from 'node:stream'
import { App, makeConfig } from 'virtual:app.tsx'
import { cookieToInitialState } from '/src/wallet/cookies/cookieToInitialState.ts'
import { serializeInitialState } from '/src/wallet/cookies/stateScript.ts'
const config = makeConfig(true)
export function render(cookie) {
  const initialState = cookieToInitialState(config, cookie)
  return new Promise((resolve, reject) => {
    let html = ''
    const body = new Writable({ write(chunk, _, done) { html += chunk; done() }, final(done) { resolve({ html, state: serializeInitialState(initialState) }); done() } })
    const { pipe } = renderToPipeableStream(<App config={config} initialState={initialState} />, { onAllReady: () => pipe(body), onError: reject })
  })
}
`

type Render = (cookie: string | undefined) => Promise<{ html: string; state: string }>

let browser: Browser
const folder = mkdtempSync(join(tmpdir(), 'latchkey-hydration-'))
let server: Listening

async function buildEntry(code: string, ssr: boolean) {
  const entry = `virtual:${ssr ? 'server' : 'client'}.tsx`
  const sources: Record<string, string> = { [entry]: code, 'virtual:app.tsx': app }
  const config: InlineConfig = {
    configFile: false,
    logLevel: 'error',
    root,
    mode: 'development',
    define: { 'process.env.NODE_ENV': '"development"' },
    resolve: {
      conditions: ['@latchkey/source', 'module', ...(ssr ? ['node'] : ['browser'])],
      dedupe: ['react', 'react-dom'],
    },
    ssr: { noExternal: true, resolve: { conditions: ['@latchkey/source', 'module', 'node'] } },
    plugins: [
      viteReact(),
      {
        name: 'page',
        enforce: 'pre',
        resolveId: (id) => (id in sources ? id : null),
        load: (id) => sources[id] ?? null,
      },
    ],
    build: {
      write: false,
      minify: false,
      ssr,
      rolldownOptions: { input: entry, output: { codeSplitting: false, entryFileNames: 'entry.mjs' } },
    },
  }
  const { output } = (await build(config)) as Rolldown.RolldownOutput
  return output[0].code
}

async function serve(): Promise<Listening> {
  const [client, ssr] = await Promise.all([buildEntry(clientEntry, false), buildEntry(serverEntry, true)])
  const file = join(folder, 'server.mjs')
  writeFileSync(file, ssr)
  const { render } = (await import(pathToFileURL(file).href)) as { render: Render }
  return listen(async (request, response) => {
    if (request.url === '/entry.mjs') {
      response.setHeader('content-type', 'text/javascript')
      return response.end(client)
    }
    response.setHeader('content-type', 'text/html; charset=utf-8')
    const { html, state } = await render(request.headers.cookie)
    const head = `<title>Test</title><link rel="icon" href="data:,"><script type="application/json" id="state">${state}</script>`
    const script = '<script type="module" src="/entry.mjs"></script>'
    return response.end(
      `<!doctype html><html lang="en"><head>${head}${script}</head><body><div id="root">${html}</div></body></html>`,
    )
  })
}

test.beforeAll(async ({ browser: launched }) => {
  browser = launched
  server = await serve()
})

afterAll(async () => {
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
})

const address = (digit: string) => `0x${digit.repeat(40)}` as const
const stateOf = (email: string, chainId: number, digit: string) => ({
  user: { email, orgId: 'org', userId: email, address: address('1') },
  signerStatus: toSignerStatus('CONNECTED'),
  accountConfigs: { [chainId]: { LightAccount: { accountAddress: address(digit) } } },
  chainId,
})
/** For an hour: cookies of the tables below are made before the pages are built. */
const cookieOf = (state: ReturnType<typeof stateOf>, endMs = Date.now() + 3_600_000) => toCookieText(name, state, endMs)

type Visit = { path?: string; cookie?: string; stored?: ReturnType<typeof stateOf>; denied?: boolean }

/** Opens the page in a new browser, whose console must stay empty. */
async function open({ path = '/', cookie, stored, denied = false }: Visit) {
  const { url } = server
  const context = await browser.newContext()
  const said: string[] = []
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) said.push(message.text())
  })
  context.on('weberror', (error) => said.push(String(error.error())))
  if (cookie) await context.addCookies([{ name, value: cookie, url }])
  if (stored) {
    const { chainId, ...state } = stored
    const entries = { [name]: { state, version: 1 }, [`${name}:core`]: { state: { chainId }, version: 1 } }
    await context.addInitScript((all) => {
      // Not in the empty page before it.
      if (!location.protocol.startsWith('http')) return
      for (const [key, value] of Object.entries(all)) localStorage.setItem(key, JSON.stringify(value))
    }, entries)
  }
  if (denied)
    await context.addInitScript(() => {
      for (const kind of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, kind, {
          get() {
            throw new DOMException('denied', 'SecurityError')
          },
        })
    })
  const tab = await context.newPage()
  const html = (await (await tab.goto(`${url}${path}`))?.text()) ?? ''
  const shown = (label: string) => tab.getByLabel(label, { exact: true })
  return { context, tab, said, html, shown }
}

test('default: the first paint is what the server rendered, also of parts hydrated late', async () => {
  const person = stateOf('ann@example.com', 31338, 'a')
  const { context, tab, said, html, shown } = await open({ cookie: cookieOf(person), stored: person })
  const painted = `ann@example.com|31338|${address('a')}|${address('a')}|true|false|-|INITIALIZING`
  expect(html.split(painted)).toHaveLength(3)
  // There is no session, so the person is signed out once the page has looked.
  await shown('first').filter({ hasText: 'no one|31338|none|none|false|false|-|DISCONNECTED' }).waitFor()
  expect(await shown('late').textContent()).toBe(painted)
  await tab.evaluate('goOn()')
  await shown('late').filter({ hasText: 'no one' }).waitFor()
  // The person never vanished before that.
  expect(await tab.evaluate('seen.find((text) => text?.startsWith("no one"))')).toContain('DISCONNECTED')
  expect(said).toEqual([])
  const [cookie] = await context.cookies()
  expect(decodeURIComponent(cookie?.value ?? '')).not.toContain('ann')
  await context.close()
})

test.each<[string, Visit, string]>([
  ['no cookie', {}, 'no one|31337'],
  [
    'a cookie of another person than the storage',
    { cookie: cookieOf(stateOf('eve@example.com', 31337, 'e')), stored: stateOf('ann@example.com', 31338, 'a') },
    'no one|31338',
  ],
  ['a chain that is no longer there', { cookie: cookieOf(stateOf('ann@example.com', 5, 'a')) }, 'no one|31337'],
  [
    'a cookie that is cut off',
    { cookie: cookieOf(stateOf('ann@example.com', 31337, 'a')).slice(0, 90) },
    'no one|31337',
  ],
  ['storage denied', { cookie: cookieOf(stateOf('ann@example.com', 31337, 'a')), denied: true }, 'no one|31337'],
  [
    'a config without ssr',
    {
      path: '/without-ssr',
      cookie: cookieOf(stateOf('ann@example.com', 31337, 'a')),
      stored: stateOf('ann@example.com', 31338, 'a'),
    },
    'no one|31338',
  ],
])('behavior: no warning with %s', async (_, visit, outcome) => {
  const { context, tab, said, shown } = await open(visit)
  await tab.evaluate('goOn()')
  for (const label of ['first', 'late'])
    await shown(label).filter({ hasText: outcome }).filter({ hasText: 'DISCONNECTED' }).waitFor()
  expect(said).toEqual([])
  await context.close()
})
