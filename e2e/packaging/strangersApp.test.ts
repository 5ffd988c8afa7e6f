import { execFile, spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify, stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeData } from '../../packages/dev/src/database/dataLocation.ts'
import { portCount } from '../../packages/dev/src/devnet/devnetPorts.ts'
import { freePorts, isPortFree } from '../../packages/dev/src/devnet/freePorts.ts'
import { readTutorial } from './readTutorial.ts'
import { signInAndSend } from './signInAndSend.ts'
import { packTarballs, readCiSteps, runCiStep, writeStrangersApp } from './strangersApp.ts'

// Tests the app of docs/tutorial.md with Latchkey's packages from their tarballs.

const root = fileURLToPath(new URL('../..', import.meta.url))
let folder: string
let home: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-stranger-'))
  chmodSync(folder, 0o711)
  home = installApp()
}, 900_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Installs and builds the app with the commands in its CI files. */
function installApp(): string {
  const tarballs = packTarballs(root, folder)
  expect(readTutorial(root).commands).toEqual([
    expect.stringMatching(/^npm create latchkey \S+ -- .+$/),
    'cd my-wallet',
    'npm install',
    'npm run dev',
    'npx playwright install chromium',
    'npm test',
  ])
  expect(readTutorial(root).files.map(({ path }) => path)).toEqual([
    'src/Hello.tsx',
    'src/App.tsx',
    'tests/hello.spec.ts',
  ])
  // The template depends on the packed version.
  const { version } = JSON.parse(readFileSync(join(folder, 'latchkey/package.json'), 'utf8')) as { version: string }
  expect(JSON.parse(readFileSync(join(folder, 'create/templates/vite/package.json'), 'utf8'))).toMatchObject({
    dependencies: { latchkey: `^${version}` },
    devDependencies: { 'latchkey-dev': `^${version}` },
  })
  const app = writeStrangersApp(root, folder, tarballs)
  const { github, gitlab } = readCiSteps(app)
  expect(github).toEqual(['npm ci', 'npm run build', 'npm test'])
  expect(gitlab).toEqual(github)
  for (const step of github) if (step !== 'npm test') runCiStep(app, step)
  return app
}

test('starts a new app with its devnet by `npm run dev`', {
  timeout: 900_000,
}, async () => {
  const [base, port] = [await freePorts(portCount), await freePorts(1)]
  const url = `http://localhost:${port}`
  const devnet = ['latchkey-dev', '--port-base', `${base}`, '--app-url', url]
  const child = spawn('npx', [...devnet, '--', 'npx', 'vite', '--port', `${port}`], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    // A signal to the process group reaches the children of npx, like Ctrl-C.
    detached: true,
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    await printed(child, url)
    expect(await (await fetch(`http://localhost:${base}`)).text()).toContain('<div id="root">')
    expect(await signInAndSend(url, `http://localhost:${base + 7}`)).toMatch(/^Included: 0x[0-9a-f]{64}$/)
  } finally {
    if (child.pid) process.kill(-child.pid, 'SIGINT')
    await ended
    removeData(join(home, '.latchkey'))
  }
  for (const offset of [0, 1, 9, 10, 11]) expect(await isPortFree(base + offset)).toBe(true)
  expect(await isPortFree(port)).toBe(true)
})

test("passes an app's own tests and those of e2e/sampleApp with the packed kit", {
  timeout: 900_000,
}, async () => {
  cpSync(join(root, 'e2e/sampleApp/wallet.spec.ts'), join(home, 'tests/sample.spec.ts'))
  cpSync(join(root, 'e2e/sampleApp/contract.test.ts'), join(home, 'unit/contract.test.ts'))
  const env = { ...process.env, PORT: String(await freePorts(1)), CI: '1', FORCE_COLOR: '0', VITEST: '' }
  const run = async (program: string, args: string[]) => {
    const started = promisify(execFile)(program, args, { cwd: home, env, timeout: 400_000 })
    return stripVTControlCharacters((await started.catch((error: { stdout: string }) => error)).stdout)
  }
  expect(await run('npx', ['playwright', 'test', '--reporter=line', '--workers=1'])).toMatch(/^ +11 passed/m)
  // Runs the devnet on the newest Node if npm could install it (Linux only).
  const node24 = join(root, 'e2e/packaging/node_modules/node24/bin/node')
  const script = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--dir',
    'unit',
    '--testTimeout=90000',
    '--hookTimeout=90000',
  ]
  expect(await run(existsSync(node24) ? node24 : process.execPath, script)).toMatch(/Tests +3 passed/)
})

class NotStarted extends Error {}

/** Waits until the program prints `text`. Rejects with the output if it exits first. */
function printed(child: ReturnType<typeof spawn>, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        // Vite prints parts of URLs in color.
        if (stripVTControlCharacters(output).includes(text)) resolve()
      })
    child.once('close', () => reject(new NotStarted(output)))
  })
}
