import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import type { Devnet } from 'latchkey-dev'
import { launchBrowser, readSignInMail, startTestDevnet } from 'latchkey-dev/testing'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { recoverMessageAddress } from 'viem'
import { createServer, type ViteDevServer } from 'vite'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const email = 'user@example.com'

/** Never reset between tests, because a reset would reload the next test's page. */
let edition = 1

const config = () => `
import { createConfig, latchkeyEndpoints } from 'latchkey'
import { latchkeyDev } from 'latchkey/chains'
export const make = (sessionConfig) => createConfig({
  chain: latchkeyDev, apiKey: '${devnet.apiKey}', endpoints: latchkeyEndpoints('${devnet.urls.signerApi}'), sessionConfig,
  iframeConfig: { iframeContainerId: 'frames' },
})
export const config = make()
export const edition = ${edition}
`

const app = `
import { useState } from 'react'
import { LatchkeyProvider, useSigner, useSignerStatus } from 'latchkey/react'
import { config, edition, make } from './config.ts'

function Wallet({ name }) {
  const signer = useSigner()
  const { status } = useSignerStatus()
  const known = ((window.signers ??= {})[name] ??= [])
  if (signer && !known.includes(signer)) known.push(signer)
  return <output aria-label={name}>{status} {edition}</output>
}

export default function App() {
  const [shown, setShown] = useState([{ name: 'first' }])
  window.show = (...wallets) => setShown(wallets)
  window.make = make
  return shown.map(({ name, config: own }) => (
    <LatchkeyProvider key={name} config={own ?? config}><Wallet name={name} /></LatchkeyProvider>
  ))
}
`

const main = `
import { createRoot } from 'react-dom/client'
import App from './App.tsx'
createRoot(document.getElementById('root')).render(<App />)
`

const html = (script: string) =>
  `<!doctype html><link rel="icon" href="data:,"><div id="root"></div><div id="frames"></div><script type="module" src="${script}"></script>`

let folder: string
let server: ViteDevServer
let url: string
let devnet: Devnet
let address: string
let browser: Browser
let context: BrowserContext
let tab: Page

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

beforeAll(async () => {
  mkdirSync(join(root, '.cache'), { recursive: true })
  folder = mkdtempSync(join(root, '.cache/hot-reload-'))
  const exported = (name: string) => join(root, `packages/latchkey/src/exports/${name}.ts`)
  server = await createServer({
    root: folder,
    configFile: false,
    logLevel: 'silent',
    cacheDir: join(folder, 'cache'),
    plugins: [react()],
    resolve: {
      alias: [
        { find: /^latchkey$/, replacement: exported('index') },
        { find: /^latchkey\/(\w+)$/, replacement: exported('$1') },
      ],
    },
    // A dependency that Vite discovers later would cause a page reload.
    optimizeDeps: {
      noDiscovery: true,
      include: [
        'react',
        'react-dom',
        'react-dom/client',
        'react/jsx-dev-runtime',
        '@tanstack/react-query',
        'viem',
        'viem/actions',
        'zustand/vanilla',
        'zustand/middleware',
      ],
    },
    server: { host: '127.0.0.1', port: 0, fs: { allow: [root] } },
  })
  await server.listen()
  url = new URL(String(server.resolvedUrls?.local[0])).origin
  // The devnet's configuration contains the URL of this server.
  devnet = await startTestDevnet({ example: false, appUrls: [`${url}/`] })
  browser = await launchBrowser({ light: true })
  context = await browser.newContext()
  // A page loads hundreds of modules that Vite transforms on demand.
  context.setDefaultTimeout(100_000)
  writeFiles()
  await signIn()
})

afterAll(async () => {
  await browser?.close()
  await devnet?.close()
  await server?.close()
  if (folder) rmSync(folder, { recursive: true })
})

function writeFiles(): void {
  write('config.ts', config())
  write('App.tsx', app)
  write('main.tsx', main)
  write('index.html', html('/main.tsx'))
}

afterEach(() => tab.close())

async function signIn(): Promise<void> {
  tab = await context.newPage()
  await tab.goto(url)
  await says('first', 'DISCONNECTED')
  await tab.evaluate(async (email) => {
    const [signer] = Object(window).signers.first
    void signer.authenticate({ type: 'email', email }).catch(() => {})
    await new Promise<void>((resolve) => {
      signer.on('statusChanged', (name: string) => name === 'AWAITING_EMAIL_AUTH' && resolve())
    })
  }, email)
  const { link } = await readSignInMail(devnet, email, { linkTo: url })
  await tab.goto(link)
  await says('first', 'CONNECTED')
  address = await tab.evaluate(() => Object(window).signers.first[0].getAddress())
  await tab.close()
}

async function openPage(): Promise<void> {
  tab = await context.newPage()
  await tab.goto(url)
}

const wallet = (name: string) => tab.getByLabel(name, { exact: true })
const says = (name: string, status: string) =>
  wallet(name)
    .filter({ hasText: new RegExp(`^${status} ${edition}$`) })
    .waitFor()

function sign(name: string, index: number): Promise<string> {
  return tab.evaluate(
    ([name, index]) =>
      Object(window)
        .signers[String(name)].at(index)
        .signMessage('mine')
        .catch(({ code, shortMessage }: { code: string; shortMessage: string }) => `${code}: ${shortMessage}`),
    [name, index],
  )
}

async function expectSigned(signature: string): Promise<void> {
  expect(await recoverMessageAddress({ message: 'mine', signature: signature as `0x${string}` })).toBe(address)
}

const replaced = 'SIGNER_CONFLICT: A newer config on this page has replaced this one.'

test('takes over with the reloaded config and keeps the user signed in', async () => {
  await openPage()
  await says('first', 'CONNECTED')
  await expectSigned(await sign('first', -1))
  await tab.evaluate('window.isSame = true')
  for (const next of [2, 3]) {
    edition = next
    write('config.ts', config())
    await says('first', 'CONNECTED')
    await expectSigned(await sign('first', -1))
  }
  expect(await tab.evaluate('window.isSame')).toBe(true)
  expect(await tab.evaluate('window.signers.first.length')).toBe(3)
  expect(await sign('first', 0)).toBe(replaced)
  expect(await tab.locator('iframe').count()).toBe(1)
})

test('works after a remount and with the config of a replaced provider', async () => {
  await openPage()
  await says('first', 'CONNECTED')
  await tab.evaluate('show()')
  await tab.evaluate("show({ name: 'first' })")
  await says('first', 'CONNECTED')
  await expectSigned(await sign('first', -1))
  await tab.evaluate("show({ name: 'second', config: make() })")
  await says('second', 'CONNECTED')
  await expectSigned(await sign('second', -1))
})
