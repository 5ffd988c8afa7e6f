import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join, normalize } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { predictLightAccountAddress, predictModularAccountV2Address } from 'latchkey/accounts'
import type { Devnet } from 'latchkey-dev'
import type { Page } from 'playwright-core'
import type { Address, Chain, Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSignInMail } from '../../packages/dev/src/testing/readSignInMail.ts'
import { startTestDevnet } from '../../packages/dev/src/testing/startTestDevnet.ts'
import { compile, copySamples, folder, inBrowser, install, move } from './codemodApps.ts'
import { untilAwaited } from './untilAwaited.ts'

// Migrates apps modeled on public ones. The codemod must report everything that it leaves unchanged. After the test
// makes these changes by hand, the app must compile and run with its own packages.

const run = promisify(execFile)

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Makes the changes that the codemod has reported. Fails if a text to replace does not exist. */
async function follow(name: string, edits: readonly (readonly [path: string, from: string, to: string])[]) {
  for (const [path, from, to] of edits) {
    const file = join(folder, name, path)
    const text = await readFile(file, 'utf8')
    expect(text, path).toContain(from)
    await writeFile(file, text.replace(from, to))
  }
}

const toPlaces = (left: readonly { path: string; line: number }[]) => left.map(({ path, line }) => `${path}:${line}`)
/** Lists compiler errors (`path(line,column): …`) that no message of the codemod covers, by line or package. */
function findSilent(printed: string, left: readonly { path: string; line: number; text: string }[]): string[] {
  return printed.split('\n').filter((error) => {
    const [, path, line, old] = /^(\S+?)\((\d+),\d+\): error (?:TS2307: Cannot find module '(@.+?)')?/.exec(error) ?? []
    const isNamed = (one: { path: string; line: number; text: string }) =>
      one.path === path && (old === undefined ? one.line === Number(line) : one.text.includes(` of ${old}: `))
    return path !== undefined && !left.some(isNamed)
  })
}

/** Migrates, installs and compiles an app. Fails for a compiler error on a line that the codemod did not report. */
async function moveAndInstall(name: string, options: { words?: string[]; compiler?: object } = {}) {
  await copySamples([name])
  const moved = await move(name, ...(options.words ?? []))
  expect(moved).toMatchObject({ stops: [], written: true })
  // The codemod keeps a package in `package.json` while the app still imports from it.
  const manifest = join(folder, name, 'package.json')
  const text = await readFile(manifest, 'utf8')
  await writeFile(manifest, text.replace(/^\s*"@(?:account-kit|aa-sdk|alchemy)\/.*\n/gm, ''))
  await install(name)
  expect(findSilent(await compile(name, options.compiler), moved.left)).toEqual([])
  return moved.left.map(({ path, text }) => `${path}: ${text}`).join('\n')
}

async function build(name: string): Promise<string> {
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' }
  const { stdout } = await run('npm', ['run', 'build'], { cwd: join(folder, name), env, timeout: 300_000 })
  return stdout
}

let devnet: Devnet
let app: Listening
/** Folder of the app that the server serves, or base URL of the app's own server. */
let shown = ''

beforeAll(async () => {
  app = await listen((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
    if (shown.startsWith('http')) return pass(request, response, `${shown}${pathname}${search}`)
    const [, rpc, signer] = /^\/api\/(?:(rpc)|signer(\/.*))/.exec(pathname) ?? []
    if (rpc) return pass(request, response, devnet.urls.gateway)
    if (signer) return pass(request, response, `${devnet.urls.signerApi}${signer}`)
    return sendFile(response, normalize(pathname))
  })
  // The apps do not configure a server, so they use the published hosts. These clients sign digests.
  devnet = await startTestDevnet({
    chainId: 11_155_111,
    appUrls: [`${app.url}/`],
    example: false,
    publishedClients: true,
  })
})

async function sendFile(response: ServerResponse, path: string): Promise<void> {
  const type = { js: 'text/javascript', css: 'text/css' }[path.split('.').at(-1) ?? ''] ?? 'text/html'
  response.setHeader('content-type', type)
  response.end(await readFile(join(shown, type === 'text/html' ? 'index.html' : path)))
}

/** Forwards a request with the API key, like the server of an app. */
async function pass(request: IncomingMessage, response: ServerResponse, url: string): Promise<void> {
  const { 'content-type': type = '', accept = '', cookie = '', origin = '' } = request.headers
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  const answer = await fetch(url, {
    method: request.method ?? 'GET',
    headers: { 'content-type': type, accept, cookie, origin, authorization: 'Bearer latchkey-dev' },
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  response.end(Buffer.from(await answer.arrayBuffer()))
}

afterAll(() => Promise.all([devnet?.close(), app?.close()]))

const slow = { timeout: 300_000 }

const nextCompiler = { jsx: 'preserve', types: ['node', 'react'], paths: { '@/*': ['./src/*'] } }

test('moves a Next.js app without social sign-in only when asked to: its server runs in a browser', slow, async () => {
  await copySamples(['next'])
  const refused = await move('next')
  expect(refused).toMatchObject({ written: false, files: expect.any(Array) })
  expect(toPlaces(refused.stops)).toEqual(['src/app/page.tsx:34', 'src/config.ts:12', 'src/config.ts:13'])
  for (const { text } of refused.stops) expect(text).toContain('--drop social')

  const left = await moveAndInstall('next', {
    words: ['--drop', 'social'],
    compiler: nextCompiler,
  })
  expect(left).toMatch(/page\.tsx: remove this sign-in by google: people who have no other way in/)
  expect(left).toMatch(/config\.ts: sign-in by facebook is removed from the dialog: people who have no other way in/)
  expect(left).toMatch(/page\.tsx: user\.type: each user is 'sca' here/)
  expect(left).toMatch(/page\.tsx: AWAITING_OTP_AUTH is AUTHENTICATING here/)
  expect(left).toMatch(/globals\.css: --akui-fg-primary is gone/)
  await follow('next', [
    ['src/app/page.tsx', "'AWAITING_OTP_AUTH'", "'AUTHENTICATING'"],
    [
      'src/app/page.tsx',
      "{ type: 'oauth', authProviderId: 'google', mode: 'popup' }",
      "{ type: 'passkey', createNew: false }",
    ],
    ['src/app/page.tsx', "user.type === 'eoa' ? user.address : ", ''],
    [
      'src/app/page.tsx',
      "useSmartAccountClient({ type: 'ModularAccountV2' })",
      "useSmartAccountClient({ type: 'ModularAccountV2', gasManagerConfig: { policyId: 'default' } })",
    ],
    ['src/app/globals.css', '--akui-fg-primary', '--lk-ink'],
  ])
  expect(await compile('next', nextCompiler)).toBe('')
  await build('next')
  const server = await startNext('next', {
    API_KEY: 'latchkey-dev',
    RPC_URL: devnet.urls.gateway,
    SIGNER_URL: devnet.urls.signerApi,
  })
  shown = server.url
  try {
    await inBrowser(devnet, async (page) => {
      await page.goto(app.url)
      const email = 'next@example.com'
      await signInByLink(page, email)
      expect(await send(page)).toBe(await predict(page, predictModularAccountV2Address))
      // The server renders the first page for the signed-in user.
      await page.reload()
      await page.locator('#user', { hasText: email }).waitFor()
    })
  } finally {
    await server.close()
  }
})

test('moves a Vite app with a Tailwind theme and its list of passkeys: its build signs up by code and sends', async () => {
  const left = await moveAndInstall('vite', { compiler: { types: ['react'] } })
  expect(left).toMatch(/App\.tsx: useAuthError .* the error of the useAuthenticate/)
  expect(left).toMatch(/App\.tsx: the signer never has the status AWAITING_SMS_AUTH here/)
  expect(left).toMatch(/App\.tsx: the class bg-bg-surface-default is gone/)
  expect(left).toMatch(/App\.tsx: the class akui-btn is gone/)
  expect(left).toMatch(/Settings\.tsx: useAuthMethods lists passkeys by itself only in email sessions/)
  expect(left).toMatch(/tailwind\.config\.ts: the color fg-accent-brand is gone/)
  expect(left).toMatch(/tailwind\.config\.ts: borderRadius of the theme is gone/)
  expect(await readFile(join(folder, 'vite/src/config.ts'), 'utf8')).toContain(
    "tokens: { primary: 'light-dark(#0b5d3b, #8fe3bd)', 'on-primary': 'light-dark(#ffffff, #08130e)' }",
  )
  await follow('vite', [
    ['src/App.tsx', "import { useAuthError } from '@account-kit/react'\n", ''],
    ['src/App.tsx', '  const error = useAuthError()\n', ''],
    ['src/App.tsx', '      {error && <p role="alert">{error.message}</p>}\n', ''],
    ['src/App.tsx', '[AlchemySignerStatus.AWAITING_OTP_AUTH]', '[AlchemySignerStatus.AUTHENTICATING]'],
    ['src/App.tsx', "  [AlchemySignerStatus.AWAITING_SMS_AUTH]: 'Look at your phone',\n", ''],
  ])
  expect(await compile('vite', { types: ['react'] })).toBe('')
  await build('vite')
  shown = join(folder, 'vite/dist')
  await inBrowser(devnet, async (page) => {
    await page.goto(app.url)
    const email = 'vite@example.com'
    await page.getByRole('textbox', { name: 'Email' }).fill(email)
    const submit = page.getByRole('button', { name: 'Continue', exact: true })
    await submit.click()
    const { code = '' } = await readSignInMail(devnet, email)
    await page.getByRole('textbox', { name: /code/i }).fill(code)
    await page.locator('#user', { hasText: email }).waitFor()
    const owner = (await page.locator('#owner').textContent()) as Address
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#sent', { hasText: /^0x[0-9a-f]{64}$/ }).waitFor()
    expect(await page.locator('#address').textContent()).toBe(predictModularAccountV2Address({ owner, chain: sepolia }))
    await page.locator('#passkeys').waitFor({ state: 'attached' })
  })
})

test('moves a Node script that sends a batch by a ModularAccountV2', async () => {
  const left = await moveAndInstall('node', { compiler: { types: ['node'] } })
  expect(left).toBe(
    'src/send.ts: getAddress of a client returns a promise here: await it, or write client.account.address',
  )
  await follow('node', [['src/send.ts', 'client.getAddress()', 'client.account.address']])
  const home = join(folder, 'node')
  const words = ['-p', 'tsconfig.codemod.json', '--noEmit', 'false', '--allowImportingTsExtensions', 'false']
  await run(process.execPath, [join(home, 'node_modules/typescript/bin/tsc'), ...words, '--outDir', 'out'], {
    cwd: home,
  })
  const env = {
    ...process.env,
    PRIVATE_KEY: generatePrivateKey(),
    POLICY_ID: 'default',
    RPC_URL: `${devnet.urls.gateway}/latchkey-dev`,
  }
  const { stdout } = await run(process.execPath, ['out/send.js'], { cwd: home, env, timeout: 60_000 })
  const { owner, address, transaction } = JSON.parse(stdout) as { owner: Address; address: Address; transaction: Hex }
  expect(address).toBe(predictModularAccountV2Address({ owner, chain: sepolia }))
  expect(transaction).toMatch(/^0x[0-9a-f]{64}$/)
})

test(
  'moves a 3.14 app with several chains and names each type without a counterpart: its build sends',
  slow,
  async () => {
    const left = await moveAndInstall('chains', { compiler: { types: ['react'] } })
    expect(left).toMatch(/App\.tsx: useAlchemyAccountContext .* write the hooks/)
    expect(left).toMatch(/App\.tsx: LightAccount .* write toLightAccount\.ReturnType of latchkey\/accounts/)
    await follow('chains', [
      [
        'src/App.tsx',
        "import type { LightAccount } from '@alchemy/aa-accounts'",
        "import type { toLightAccount } from 'latchkey/accounts'",
      ],
      ['src/App.tsx', 'account: LightAccount |', 'account: toLightAccount.ReturnType |'],
      ['src/App.tsx', "import { useAlchemyAccountContext } from '@alchemy/aa-alchemy/react'\n", ''],
      ['src/App.tsx', '  const { config: known } = useAlchemyAccountContext()\n', ''],
      ['src/App.tsx', "      <p>{known === config ? 'same' : 'other'}</p>\n", ''],
    ])
    expect(await compile('chains', { types: ['react'] })).toBe('')
    await build('chains')
    shown = join(folder, 'chains/dist')
    await inBrowser(devnet, async (page) => {
      await page.goto(app.url)
      await signInByLink(page, 'chains@example.com')
      expect(await send(page)).toBe(await predict(page, predictLightAccountAddress))
    })
  },
)

/** Signs up in the app's dialog with the e-mail's link, without a passkey. */
async function signInByLink(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  const { link } = await readSignInMail(devnet, email)
  await untilAwaited(page)
  await page.goto(link)
  await page.getByRole('button', { name: 'Skip' }).click()
  await page.locator('#user', { hasText: email }).waitFor()
}

async function send(page: Page): Promise<string | null> {
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('#sent', { hasText: /^0x[0-9a-f]{64}$/ }).waitFor()
  return page.locator('#address').textContent()
}

async function predict(page: Page, by: (options: { owner: Address; chain: Chain }) => Address): Promise<Address> {
  return by({ owner: (await page.locator('#owner').textContent()) as Address, chain: sepolia })
}

async function startNext(name: string, variables: Record<string, string>) {
  const home = join(folder, name)
  const words = [join(home, 'node_modules/next/dist/bin/next'), 'start', '-p', '0', '-H', '127.0.0.1']
  const env = { ...process.env, ...variables, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' as const }
  const server = spawn(process.execPath, words, { cwd: home, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(server, 'exit')
  for await (const line of createInterface({ input: server.stdout })) {
    const [, port] = /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)/.exec(line) ?? []
    if (port === undefined) continue
    const close = async () => {
      server.kill()
      await exited
    }
    return { url: `http://127.0.0.1:${port}`, close }
  }
  throw new RangeError('The app printed no URL.')
}
