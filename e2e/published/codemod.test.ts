import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serveEntry } from '@latchkey/testkit/react/serveEntry'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readSignInMail } from '../../packages/dev/src/testing/readSignInMail.ts'
import { startTestWorld } from '../../packages/dev/src/testing/startTestWorld.ts'
import { forwardTo } from './forwardTo.ts'
import { openProfile } from './openProfile.ts'

// Apps of Account Kit, moved by the program as a person runs it: they compile before and after.

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const samples = join(root, 'e2e/published/codemod')
const program = join(root, 'packages/dev/dist/cli/main.js')
/** Inside of the repository, so that `latchkey` is found. */
const folder = join(root, '.cache/codemod', String(process.pid))

beforeAll(async () => {
  await mkdir(folder, { recursive: true })
  for (const name of ['three', 'four']) await cp(join(samples, name), join(folder, name), { recursive: true })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What the compiler says of a folder of sources. */
async function compile(place: string, name: string): Promise<string> {
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

async function move(name: string) {
  const { stdout } = await run(process.execPath, [
    program,
    'codemod',
    'account-kit',
    join(folder, name),
    '--force',
    '--json',
  ])
  return JSON.parse(stdout) as { files: string[]; stops: unknown[]; left: unknown[]; written: boolean }
}

const nothing = { files: [], stops: [], left: [], written: false }

test('default: an app on 3.14 with every hook and every form of its config', async () => {
  expect(await compile(samples, 'three')).toBe('')
  expect(await move('three')).toEqual({
    files: ['src/App.tsx', 'src/Wallet.tsx', 'src/config.ts', 'src/script.ts', 'package.json'],
    stops: [],
    left: [],
    written: true,
  })
  expect(await compile(folder, 'three')).toBe('')
  expect(await move('three')).toEqual(nothing)
  const { dependencies } = JSON.parse(await readFile(join(folder, 'three/package.json'), 'utf8'))
  expect(Object.keys(dependencies)).toEqual(['@tanstack/react-query', 'latchkey', 'react', 'viem'])
})

test('default: an app on 4.x keeps the version of its accounts', async () => {
  const moved = await move('four')
  expect(moved).toMatchObject({ stops: [], left: [], written: true })
  expect(await compile(folder, 'four')).toBe('')
  expect(await move('four')).toEqual(nothing)
  const [app, script] = await Promise.all(
    ['App.tsx', 'script.ts'].map((file) => readFile(join(folder, 'four/src', file), 'utf8')),
  )
  expect(app?.match(/version: 'v2.0.0'/g)).toHaveLength(2)
  expect(script?.match(/version: 'v2.0.0'/g)).toHaveLength(3)
})

test('behavior: the moved app runs: sign-in by mail and a sponsored send, at the hosts it always had', async () => {
  await move('three')
  const served = await serveEntry(root, `import '/.cache/codemod/${process.pid}/three/src/App.tsx'`)
  const world = await startTestWorld({ chainId: 11_155_111, appUrls: [`${served.url}/`], example: false })
  const { profile, context } = await openProfile()
  try {
    context.setDefaultTimeout(0)
    const { urls } = world
    const hosts = {
      'api.turnkey.com': urls.custody,
      'api.g.alchemy.com': urls.signerApi,
      'auth.turnkey.com': urls.authFrame,
      'eth-sepolia.g.alchemy.com': new URL(urls.gateway).origin,
    }
    for (const [host, base] of Object.entries(hosts))
      await context.route(
        `https://${host}/**`,
        forwardTo(fetch, () => base),
      )
    const page = await context.newPage()
    await page.goto(served.url)
    const email = 'moved@example.com'
    await page.getByRole('textbox').fill(email)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Look into your mail' }).waitFor()
    const { link } = await readSignInMail(world, email)
    await page.goto(link)
    await page.locator('#user', { hasText: email }).waitFor()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#sent', { hasText: /^0x[0-9a-f]{64}$/ }).waitFor()
  } finally {
    await context.unrouteAll({ behavior: 'ignoreErrors' })
    await context.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 10 })
    await Promise.all([world.close(), served.close()])
  }
})
