import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildContracts, cacheDir } from '@latchkey/testkit/chain'
import { addressesIn } from '@latchkey/testkit/contracts/addressesIn'
import { bundleProgram, toImportPath } from '@latchkey/testkit/contracts/bundleProgram'
import { onFreePorts } from '@latchkey/testkit/run/onFreePorts'
import { parseEther } from 'viem'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../devnet/freePorts.ts'
import { DevError } from '../errors.ts'
import { isAlive } from '../processes/processes.ts'
import { devAccountOf } from './devAccounts.ts'
import { devAddresses } from './devAddresses.ts'
import { devClient } from './devClient.ts'
import { rpc } from './rpc.ts'
import { spawnAnvil } from './spawnAnvil.ts'
import { startChain, writeNote } from './startChain.ts'

const cleanups: (() => void | Promise<void>)[] = []
const target = '0x00000000000000000000000000000000000000aa'

beforeAll(buildContracts)
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

function temporaryState(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-chain-'))
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'chain.json')
}

async function start(statePath: string, options: Partial<startChain.Parameters> = {}) {
  const parameters = { chainId: 31337, statePath, cacheDir, ...options }
  const own = options.port
  const chain = await (own === undefined
    ? onFreePorts(1, (port) => startChain({ port, ...parameters }))
    : startChain({ ...parameters, port: own }))
  cleanups.push(() => chain.close())
  const privateKey = devAccountOf.faucet.privateKey
  return { ...chain, client: devClient({ rpcUrl: chain.url, chainId: parameters.chainId, privateKey }) }
}

/** Checks for the test's own transaction, because the state is already saved once before the test sends it. */
const isSaved = (statePath: string): boolean => readFileSync(statePath, 'utf8').includes(target)

test('starts a chain with every contract', async () => {
  const { url, client } = await start(temporaryState())
  expect(url).toMatch(/^http:\/\/localhost:\d+$/)
  expect(await client.read.getChainId()).toBe(31337)
  for (const address of addressesIn(devAddresses))
    expect(await client.read.getCode({ address }), address).toMatch(/^0x6[01]/)
})

test('keeps balances, receipts and manual changes over a restart', async () => {
  const statePath = temporaryState()
  const first = await start(statePath)
  const { transactionHash } = await first.client.transact({ to: target, value: parseEther('3') })
  await rpc({
    url: first.url,
    method: 'anvil_setBalance',
    params: ['0x00000000000000000000000000000000000000bb', '0x7'],
  })
  await first.close()
  expect(isAlive(first.pid)).toBe(false)

  const { client } = await start(statePath)
  expect(await client.read.getBalance({ address: target })).toBe(parseEther('3'))
  expect(await client.read.getBalance({ address: '0x00000000000000000000000000000000000000bb' })).toBe(7n)
  expect((await client.read.getTransactionReceipt({ hash: transactionHash })).status).toBe('success')
  await client.transact({ to: target, value: parseEther('1') })
  expect(await client.read.getBalance({ address: target })).toBe(parseEther('4'))
})

test('reports a killed node once and keeps its chain', async () => {
  const statePath = temporaryState()
  const ends: DevError[] = []
  const first = await start(statePath, { onExit: (error) => ends.push(error) })
  await first.client.transact({ to: target, value: parseEther('3') })
  await expect.poll(() => isSaved(statePath)).toBe(true)
  process.kill(first.pid, 'SIGKILL')
  await expect.poll(() => ends.length).toBe(1)
  expect(ends[0]).toBeInstanceOf(DevError)
  expect(ends[0]).toMatchObject({ code: 'CHILD_EXITED', message: 'The chain ended by SIGKILL.' })
  await first.close()

  const { client } = await start(statePath)
  expect(await client.read.getBalance({ address: target })).toBe(parseEther('3'))
})

test('ends the node and keeps the chain when its parent is killed', async () => {
  const statePath = temporaryState()
  const port = await freePorts(1)
  const program =
    await bundleProgram(`import { startChain } from ${toImportPath('packages/dev/src/chain/startChain.ts')}
const chain = await startChain(JSON.parse(process.argv[2]))
process.stdout.write(String(chain.pid))`)
  cleanups.push(() => program.close())
  const options = JSON.stringify({ port, chainId: 31337, statePath, cacheDir })
  const child = spawn(process.execPath, [program.path, options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (data: Buffer) => resolve(Number(data.toString())))
    child.once('exit', () => reject(new Error('ended early')))
  })
  const { privateKey } = devAccountOf.faucet
  await devClient({ rpcUrl: `http://127.0.0.1:${port}`, chainId: 31337, privateKey }).transact({
    to: target,
    value: 2n,
  })
  await expect.poll(() => isSaved(statePath)).toBe(true)
  expect(isAlive(pid)).toBe(true)
  child.kill('SIGKILL')
  await expect.poll(() => isAlive(pid)).toBe(false)

  const { client } = await start(statePath, { port })
  expect(await client.read.getBalance({ address: target })).toBe(2n)
})

test('ends a node left over on the state and keeps its changes', async () => {
  const statePath = temporaryState()
  await (await start(statePath)).close()
  const port = await freePorts(1)
  const left = await spawnAnvil({ port, chainId: 31337, loadState: statePath })
  cleanups.push(() => left.close())
  writeNote(statePath, left)
  const { privateKey } = devAccountOf.faucet
  await devClient({ rpcUrl: left.url, chainId: 31337, privateKey }).transact({ to: target, value: 2n })

  const { client } = await start(statePath, { port })
  expect(isAlive(left.pid)).toBe(false)
  expect(await client.read.getBalance({ address: target })).toBe(2n)
})

test('does not end a process that is not a node of this state', async () => {
  const statePath = temporaryState()
  const other = await start(temporaryState())
  writeNote(statePath, { pid: other.pid, url: other.url })
  await start(statePath)
  expect(isAlive(other.pid)).toBe(true)
})

test('keeps the chain id of a saved chain', async () => {
  const statePath = temporaryState()
  const first = await start(statePath, { chainId: 11155111 })
  expect(await first.client.read.getChainId()).toBe(11155111)
  expect(await first.client.read.getCode({ address: devAddresses.paymasters['0.7.0'] })).toMatch(/^0x6[01]/)
  await first.client.transact({ to: target, value: 1n })
  await first.close()

  const other = start(statePath, { chainId: 31337 })
  await expect(other).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('The saved chain has id 11155111, not 31337.'),
  })
})

test('names a taken port', async () => {
  const port = await freePorts(1)
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve))
  cleanups.push(() => new Promise((resolve) => other.close(() => resolve())))
  await expect(start(temporaryState(), { port })).rejects.toMatchObject({
    code: 'PORT_TAKEN',
    message: expect.stringContaining('choose other ports with --port-base N'),
  })
})

test('refuses a foreign or damaged state', async () => {
  const foreign = temporaryState()
  writeFileSync(foreign, '{"block":{}}')
  await expect(start(foreign)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('is not a saved devnet chain'),
  })
  const damaged = temporaryState()
  writeFileSync(damaged, '{"latchkey":{"chainId":31337,"genesis":"x"},"block":')
  await expect(start(damaged)).rejects.toMatchObject({
    code: 'CHILD_EXITED',
    message: expect.stringContaining('The chain ended with code'),
  })
})

test('adds contracts that an older saved state lacks and keeps the rest', async () => {
  const statePath = temporaryState()
  const first = await start(statePath)
  await first.client.transact({ to: target, value: parseEther('3') })
  await rpc({ url: first.url, method: 'anvil_setCode', params: [devAddresses.demo, '0x'] })
  await first.close()
  const saved = readFileSync(statePath, 'utf8')
  writeFileSync(statePath, saved.replace(/"genesis":"\w+"/, '"genesis":"older"'))

  const { client } = await start(statePath)
  expect(await client.read.getCode({ address: devAddresses.demo })).toMatch(/^0x6[01]/)
  expect(await client.read.getBalance({ address: target })).toBe(parseEther('3'))
  expect(readFileSync(statePath, 'utf8').slice(0, 100)).not.toContain('older')
})
