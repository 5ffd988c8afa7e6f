import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { predictLightAccountAddress, predictModularAccountV2Address } from 'latchkey/accounts'
import type { Devnet } from 'latchkey-dev'
import type { Page } from 'playwright-core'
import type { Address } from 'viem'
import { sepolia } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSignInMail } from '../../packages/dev/src/testing/readSignInMail.ts'
import { startTestDevnet } from '../../packages/dev/src/testing/startTestDevnet.ts'
import { compile, copySamples, folder, inBrowser, install, move, samples } from './codemodApps.ts'
import { untilAwaited } from './untilAwaited.ts'

// Runs the codemod on Account Kit apps like a user. The apps must compile and run before and after.
// `compat/accountKitReact` runs the 4.x app before the migration, because its packages are installed there.

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

beforeAll(() => copySamples(['three', 'four', 'quickstart']))
afterAll(() => rm(folder, { recursive: true, force: true }))

async function compileHere(place: string, name: string): Promise<string> {
  const { compilerOptions } = JSON.parse(await readFile(join(samples, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object
  }
  const path = join(folder, `${name}.json`)
  await writeFile(path, JSON.stringify({ compilerOptions, include: [join(place, name, 'src')] }))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  return run(process.execPath, [tsc, '-p', path, '--pretty', 'false']).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

const nothing = { files: [], stops: [], left: [], written: false }

test('moves an app on 3.14 with every hook and every form of its config', async () => {
  expect(await compileHere(samples, 'three')).toBe('')
  expect(await move('three')).toEqual({
    files: ['src/App.tsx', 'src/Wallet.tsx', 'src/config.ts', 'src/script.ts', 'package.json'],
    stops: [],
    left: [],
    written: true,
  })
  expect(await compileHere(folder, 'three')).toBe('')
  expect(await move('three')).toEqual(nothing)
  const { dependencies } = JSON.parse(await readFile(join(folder, 'three/package.json'), 'utf8'))
  expect(Object.keys(dependencies)).toEqual(['@tanstack/react-query', 'latchkey', 'react', 'viem'])
})

test('moves an app on 4.x and keeps the version of its accounts', async () => {
  const moved = await move('four')
  expect(moved).toMatchObject({ stops: [], left: [], written: true })
  expect(await compileHere(folder, 'four')).toBe('')
  expect(await move('four')).toEqual(nothing)
  const [wallet, script] = await Promise.all(
    ['Wallet.tsx', 'script.ts'].map((file) => readFile(join(folder, 'four/src', file), 'utf8')),
  )
  expect(wallet?.match(/version: 'v2.0.0'/g)).toHaveLength(2)
  expect(script?.match(/version: 'v2.0.0'/g)).toHaveLength(3)
})

/** Server that serves both versions of the app at the same URL. */
let place: { url: string; show(entry: string, options?: Parameters<typeof serveEntry>[2]): Promise<void> }
let devnet: Devnet
const served: Listening[] = []

beforeAll(async () => {
  let shown: Listening | undefined
  const app = await listen(async (request, response) => {
    const file = await fetch(`${shown?.url}${request.url}`)
    response.setHeader('content-type', file.headers.get('content-type') ?? '')
    response.end(Buffer.from(await file.arrayBuffer()))
  })
  served.push(app)
  place = {
    url: app.url,
    async show(entry, options) {
      shown = await serveEntry(root, entry, options)
      served.push(shown)
    },
  }
  devnet = await startTestDevnet({
    chainId: 11_155_111,
    appUrls: [`${app.url}/`],
    example: false,
    publishedClients: true,
  })
})
afterAll(() => Promise.all([devnet?.close(), ...served.map(({ close }) => close())]))

const askForMail = async (page: Page, email: string) => {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('button', { name: 'Sign in' }).click()
}
const openLink = async (page: Page, email: string, skip = 0) => {
  const { link } = await readSignInMail(devnet, email, { skip })
  await untilAwaited(page)
  await page.goto(link)
}
const signedIn = (page: Page, email: string) => page.locator('#user', { hasText: email }).waitFor()

async function send(page: Page): Promise<string | null> {
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('#sent', { hasText: /^0x[0-9a-f]{64}$/ }).waitFor()
  return page.locator('#address').textContent()
}

/** React 18, which Account Kit used, for the app before the migration. */
const before = {
  entry: `
import { Buffer } from '/compat/published/node_modules/buffer/index.js'
Object.assign(globalThis, { Buffer })
import('/compat/published/codemod/three/src/App.tsx')
`,
  options: {
    alias: Object.fromEntries(
      ['react', 'react-dom'].map((name) => [name, join(root, 'compat/react18/node_modules', name)]),
    ),
    define: { global: 'globalThis' },
  },
}

test('keeps users and their accounts signed in while an app on 3.14 moves', async () => {
  await place.show(before.entry, before.options)
  await inBrowser(devnet, async (page) => {
    await page.goto(place.url)
    const email = 'moved@example.com'
    await askForMail(page, email)
    await openLink(page, email)
    await signedIn(page, email)
    const address = await send(page)
    expect(address).toMatch(/^0x[0-9a-fA-F]{40}$/)

    await move('three')
    await place.show(`import '/.cache/codemod/${process.pid}/three/src/App.tsx'`)
    await page.goto(place.url)
    await signedIn(page, email)
    expect(await send(page)).toBe(address)
    // 3.14 stored its API key in the page. The migrated app must remove it.
    const stored = await page.evaluate(() => localStorage.getItem('alchemy-account-state'))
    expect(stored).toContain(address)
    expect(stored).not.toContain('latchkey-dev')
    expect(devnet.messages({ to: email })).toHaveLength(1)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await askForMail(page, email)
    await page.getByRole('button', { name: 'Look into your mail' }).waitFor()
    await openLink(page, email, 1)
    await signedIn(page, email)
    expect(await send(page)).toBe(address)
  })
})

test('runs the app moved from 4.x: sign-in by code and a sponsored send of a version 2 account', async () => {
  await move('four')
  await place.show(`import '/.cache/codemod/${process.pid}/four/src/App.tsx'`)
  await inBrowser(devnet, async (page) => {
    await page.goto(place.url)
    const email = 'four@example.com'
    await askForMail(page, email)
    const { code = '' } = await readSignInMail(devnet, email)
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Enter' }).click()
    await signedIn(page, email)
    const owner = (await page.locator('#owner').textContent()) as Address
    expect(await send(page)).toBe(predictLightAccountAddress({ owner, version: 'v2.0.0', chain: sepolia }))
  })
})

test('installs, compiles and runs an app that names no account type, from its own package.json', async () => {
  expect(await move('quickstart')).toMatchObject({ stops: [], left: [], written: true })
  const home = join(folder, 'quickstart')
  const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8'))
  const { version } = JSON.parse(await readFile(join(root, 'packages/latchkey/package.json'), 'utf8'))
  expect(manifest.dependencies).toMatchObject({ latchkey: `^${version}`, viem: '^2.57.1' })
  await install('quickstart')
  expect(await compile('quickstart')).toBe('')

  await place.show(`import '/.cache/codemod/${process.pid}/quickstart/src/App.tsx'`)
  await inBrowser(devnet, async (page) => {
    await page.goto(place.url)
    const email = 'quickstart@example.com'
    await askForMail(page, email)
    const { code = '' } = await readSignInMail(devnet, email)
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Enter' }).click()
    await signedIn(page, email)
    const owner = (await page.locator('#owner').textContent()) as Address
    expect(await send(page)).toBe(predictModularAccountV2Address({ owner, chain: sepolia }))
  })
})
