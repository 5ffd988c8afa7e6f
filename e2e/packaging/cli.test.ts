import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { removeData } from '../../packages/dev/src/database/dataLocation.ts'
import { portCount } from '../../packages/dev/src/devnet/devnetPorts.ts'
import { freePorts, isPortFree } from '../../packages/dev/src/devnet/freePorts.ts'
import { type Cli, startCli } from './startCli.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  chmodSync(path, 0o711)
  cleanups.push(() => {
    removeData(path)
    rmSync(path, { recursive: true, force: true })
  })
  return path
}

function start(args: string[]): Cli {
  const cli = startCli(args)
  cleanups.push(async () => {
    cli.process.kill('SIGTERM')
    await cli.ended
  })
  return cli
}

async function busyPorts(base: number): Promise<number[]> {
  const ports = Array.from({ length: portCount }, (_, index) => base + index)
  const free = await Promise.all(ports.map(isPortFree))
  return ports.filter((_, index) => !free[index])
}

async function startReady(...more: string[]) {
  const base = await freePorts(portCount)
  const cli = start(['--json', '--no-example', '--port-base', String(base), '--data-dir', folder(), ...more])
  return { cli, base, devnet: await cli.ready }
}

test('starts the devnet, prints one JSON line and ends on SIGINT', async () => {
  const { cli, base, devnet } = await startReady()
  expect(cli.stdout().trim().split('\n')).toHaveLength(1)
  expect(cli.stderr()).toContain('PostgreSQL is up')
  expect(devnet.urls).toEqual({
    wallet: `http://localhost:${base}`,
    signerApi: `http://localhost:${base + 1}`,
    custody: `http://localhost:${base + 2}`,
    gateway: `http://localhost:${base + 3}/v2`,
    authFrame: `http://localhost:${base + 4}`,
    exportFrame: `http://localhost:${base + 5}`,
    importFrame: `http://localhost:${base + 12}`,
    console: `http://localhost:${base + 6}`,
    inbox: `http://localhost:${base + 7}`,
    node: `http://localhost:${base + 9}`,
    bundler: `http://localhost:${base + 10}`,
    admin: `http://localhost:${base + 13}/admin/v1`,
    provider: `http://localhost:${base + 14}`,
  })
  expect(devnet).toMatchObject({ smtpPort: base + 8, chainId: 31337 })
  expect(devnet.readyMs).toBeGreaterThan(0)
  cli.process.kill('SIGINT')
  expect(await cli.ended).toEqual({ code: 0, signal: null })
  expect(await busyPorts(base)).toEqual([])
})

test('ends every child on SIGHUP', async () => {
  const { cli, base } = await startReady()
  cli.process.kill('SIGHUP')
  expect(await cli.ended).toEqual({ code: 129, signal: null })
  expect(await busyPorts(base)).toEqual([])
})

const sleeper = `console.log('asking', process.argv[1]); setInterval(() => {}, 1000)`
const command = (code: string) => ['--', process.execPath, '-e', code]

test('runs a command with the devnet and ends both together', async () => {
  const base = await freePorts(portCount)
  const options = ['--no-example', '--port-base', String(base), '--data-dir', folder()]
  const asking = `fetch(process.env.VITE_LATCHKEY_URL.replace('${base}', '${base + 1}') + '/signer/v1/config').then((r) => process.exit(r.ok ? 7 : 1))`
  expect(await start([...options, ...command(asking)]).ended).toEqual({ code: 7, signal: null })
  expect(await busyPorts(base)).toEqual([])

  const cli = start([...options, ...command(sleeper), 'it'])
  await expect.poll(() => cli.stdout()).toContain('asking it')
  cli.process.kill('SIGTERM')
  expect(await cli.ended).toEqual({ code: 0, signal: null })
  expect(execFileSync('ps', ['-eww', '-o', 'args='], { encoding: 'utf8' })).not.toContain(sleeper)

  const missing = start([...options, '--', 'no-such-program'])
  expect(await missing.ended).toEqual({ code: 1, signal: null })
  expect(missing.stderr()).toContain('"no-such-program" cannot be run.')
  expect(await busyPorts(base)).toEqual([])
})
