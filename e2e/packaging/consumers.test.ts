import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from 'latchkey-dev/testing'
import { build } from 'vite'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Uses the packed client outside of the workspace: with strict compilers of two generations, and in a runtime without
// Node.

const root = join(import.meta.dirname, '../..')
const tools = join(root, 'e2e/packaging/node_modules')
let folder: string

beforeAll(() => {
  // Peer dependencies are resolved from the repository.
  mkdirSync(join(root, '.cache'), { recursive: true })
  folder = mkdtempSync(join(root, '.cache/consumers-'))
  const prepare = (name: string) =>
    execFileSync(process.execPath, [join(root, 'scripts/lib/pack.mjs'), name], { cwd: root, encoding: 'utf8' }).trim()
  unpack('latchkey-protocol', join(root, 'packages/protocol'))
  unpack('latchkey', prepare('latchkey'))
  unpack('latchkey-server', prepare('server'))
  unpack('latchkey-dev', join(root, 'packages/dev'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function unpack(name: string, source: string): void {
  const home = mkdtempSync(join(tmpdir(), 'latchkey-consumers-'))
  execFileSync('npm', ['pack', source, '--ignore-scripts', '--pack-destination', home], { stdio: 'pipe' })
  const target = join(folder, 'node_modules', name)
  mkdirSync(target, { recursive: true })
  const [tarball = ''] = readdirSync(home)
  execFileSync('tar', ['-xzf', join(home, tarball), '-C', target, '--strip-components=1'])
  rmSync(home, { recursive: true })
}

const everything = (name: string, least: number) => {
  const manifest = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as {
    exports: Record<string, unknown>
  }
  const names = Object.keys(manifest.exports).filter((path) => !/\.(css|json)$/.test(path))
  expect(names.length).toBeGreaterThanOrEqual(least)
  return names.map((path, index) => `export * as part${index} from '${path.replace('.', name)}'`).join('\n')
}

/** App with its own exact types for all results. */
const app = `
import { createConfig, latchkeyEndpoints, type SendUserOperationResult } from 'latchkey'
import { latchkeyDev } from 'latchkey/chains'
import { useSendUserOperation, useSmartAccountClient } from 'latchkey/react'

export const config = createConfig({ chain: latchkeyDev, apiKey: 'k', endpoints: latchkeyEndpoints('http://localhost:4101') })
export function useSend(): SendUserOperationResult | undefined {
  const { client } = useSmartAccountClient({ type: 'LightAccount' })
  return useSendUserOperation({ client }).sendUserOperationResult
}
`

const strictest = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  noEmit: true,
  target: 'es2022',
  // Checks Latchkey's declarations, too. Errors in other declarations are ignored.
  skipLibCheck: false,
}

test.each([
  { version: '5.9', compile: compile59, moduleResolution: 'bundler', module: 'esnext' },
  { version: '7.0', compile: compile70, moduleResolution: 'nodenext', module: 'nodenext' },
])('compiles every subpath under the strictest TypeScript $version', ({ version, compile, ...modules }) => {
  const project = join(folder, `types-${version}`)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  writeFileSync(join(project, 'everything.ts'), everything('latchkey', 9))
  writeFileSync(join(project, 'app.ts'), app)
  const compilerOptions = { ...strictest, lib: ['es2022', 'dom', 'dom.iterable'], types: [], ...modules }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  // The compiler must report exactly this mistake.
  writeFileSync(join(project, 'mistake.ts'), app.replace("'LightAccount'", "'DarkAccount'"))
  expect(compile(project)).toEqual([
    expect.stringContaining(`Version ${version}.`),
    expect.stringMatching(/^types-.*mistake\.ts.*'"DarkAccount"'/),
  ])
})

test.each([
  // This consumer has only Node's types.
  { name: 'latchkey', least: 9, lib: ['es2022'] },
  { name: 'latchkey-server', least: 1, lib: ['es2022'] },
  // Tests of apps use browser types.
  { name: 'latchkey-dev', least: 4, lib: ['es2022', 'dom', 'dom.iterable'] },
])('compiles every subpath of $name under the strictest TypeScript 5.9', ({ name, least, lib }) => {
  const project = join(folder, `types-${name}`)
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"type":"module"}')
  writeFileSync(join(project, 'everything.ts'), everything(name, least))
  const compilerOptions = { ...strictest, lib, types: ['node'], module: 'nodenext' }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  // The compiler must report exactly this mistake.
  writeFileSync(join(project, 'mistake.ts'), `export { nothing } from '${name}'`)
  expect(compile59(project)).toEqual([
    expect.stringContaining('Version 5.9.'),
    expect.stringMatching(/^types-.*mistake\.ts.*'nothing'/),
  ])
})

/** Returns the version of TypeScript 7 and its errors in the project and in Latchkey's packages, one per line. */
function compile70(project: string): string[] {
  const program = [join(root, 'node_modules/typescript/bin/tsc')]
  return [...printed([...program, '--version']), ...printed([...program, '-p', project, '--pretty', 'false'])]
}

/**
 * Returns the same as `compile70` for TypeScript 5.9. Checks only the project and Latchkey's packages, because the
 * files of viem and Node would take three times as long.
 */
function compile59(project: string): string[] {
  const asked = `
const ts = require(${JSON.stringify(join(tools, 'typescript'))})
const { fileNames, options, errors } = ts.getParsedCommandLineOfConfigFile('${project}/tsconfig.json', {}, ts.sys)
const program = ts.createProgram({ rootNames: fileNames, options })
const faults = [errors, program.getOptionsDiagnostics(), program.getGlobalDiagnostics()]
const isOurs = ({ fileName }) => /\\/(types-[^/]+|node_modules\\/latchkey(-\\w+)?)\\//.test(fileName)
for (const file of program.getSourceFiles().filter(isOurs))
  faults.push(program.getSyntacticDiagnostics(file), program.getSemanticDiagnostics(file))
const host = { getCurrentDirectory: () => '${folder}', getCanonicalFileName: (name) => name, getNewLine: () => '\\n' }
console.log('Version ' + ts.version + '\\n' + ts.formatDiagnostics(faults.flat(), host))
`
  return printed(['-e', asked])
}

const ours = /^(types-|node_modules\/latchkey(-\w+)?\/)/

/**
 * Returns the output lines with a version, or about the project and Latchkey's packages. Ignores the exit code, because
 * compilers exit with an error code for errors in other files.
 */
function printed(args: string[]): string[] {
  // Without this, Node prints a warning, because Vitest sets both FORCE_COLOR and NO_COLOR.
  const env = { ...process.env, NODE_NO_WARNINGS: '1' }
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: folder, env })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((line) => ours.test(line) || line.startsWith('Version '))
}

test('runs accounts and webhooks in workerd', async () => {
  const project = join(folder, 'worker')
  mkdirSync(project)
  writeFileSync(join(project, 'main.js'), worker)
  await build({
    root: project,
    configFile: false,
    logLevel: 'silent',
    build: {
      target: 'es2022',
      lib: { entry: join(project, 'main.js'), formats: ['es'], fileName: 'worker' },
      // Builds one file, as for Workers.
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const port = await freePorts(1)
  writeFileSync(
    join(project, 'dist/config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")]
);
const worker :Workerd.Worker = (
  modules = [
    (name = "main", esModule = "export { default } from './worker'"),
    (name = "worker", esModule = embed "worker.js")
  ],
  compatibilityDate = "2026-01-01"
);
`,
  )
  const binary = join(
    tools,
    `@cloudflare/workerd-${process.platform}-${process.arch === 'x64' ? '64' : process.arch}/bin/workerd`,
  )
  const child = spawn(binary, ['serve', join(project, 'dist/config.capnp')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  try {
    const send = (headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body }).then(
        (response) => response.text(),
        () => said,
      )
    const account = '0x11c50cCe08Ff4ca8294592E282442a3f0A38cFd9 134'
    await expect.poll(() => send({}), { interval: 200 }).toBe(`${account} SIGNATURE_MISSING`)
    const time = String(Math.floor(Date.now() / 1000))
    const mac = createHmac('sha256', secret).update(`evt_1.${time}.${body}`).digest('base64')
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': time, 'webhook-signature': `v1,${mac}` }
    expect(await send(headers)).toBe(`${account} user.created`)
  } finally {
    child.kill()
    await ended
  }
})

const secret = Buffer.alloc(32, 7)
const body = JSON.stringify({ id: 'evt_1', type: 'user.created', data: {} })
const worker = `
import { toLightAccount } from 'latchkey/accounts'
import { sepolia } from 'latchkey/chains'
import { verifyWebhook } from 'latchkey/webhooks'
import { createClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

export default {
  async fetch(request) {
    const owner = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
    const client = createClient({ chain: sepolia, transport: http('http://127.0.0.1:9') })
    const { address, signMessage } = await toLightAccount({ client, owner, version: 'v2.0.0' })
    const secret = 'whsec_${secret.toString('base64')}'
    const event = verifyWebhook({ body: await request.text(), headers: request.headers, secret })
    const what = await event.then(({ type }) => type, ({ code }) => code)
    return new Response([address, (await signMessage({ message: 'hello' })).length, what].join(' '))
  },
}
`
